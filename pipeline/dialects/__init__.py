"""The dialects: each a grammar, a set of functions and a list of stages."""
