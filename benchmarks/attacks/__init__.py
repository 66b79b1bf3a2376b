"""Attacks on bpp that take longer than a test may: each prints its figures when run by hand."""
