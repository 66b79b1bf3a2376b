"""Spiff: trees of YAML with expressions in `(( .. ))`, merged with stubs."""
