"""YAML, patterns and versions as packages of Go have them."""
