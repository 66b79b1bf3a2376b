"""The functions that Kargo adds to expr-lang."""
