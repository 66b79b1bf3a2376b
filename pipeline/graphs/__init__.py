"""The graph of a blueprint as data, and as pictures."""
