"""Secrets of a blueprint and what is computed from them."""
