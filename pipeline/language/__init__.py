"""The language of substitutions: expressions, their evaluation, and their text form."""
