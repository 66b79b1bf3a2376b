"""What commands ask about projects: paths, causes, graphs, expressions and unknowns."""
