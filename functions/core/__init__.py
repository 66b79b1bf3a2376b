"""The core functions of the language, by topic."""
