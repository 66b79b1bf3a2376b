"""The graph of a blueprint."""
