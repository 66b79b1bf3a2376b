"""`bpp build`: configurations and targets, freshness, workers and results."""
