"""Benchmarks: whole processes in turn, after their outputs were found equal."""
