"""Answers about projects: paths, causes, graphs, expressions, unknowns."""
