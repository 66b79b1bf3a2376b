"""Builds of many targets: configuration, matrices, what is up to date, workers, results."""
