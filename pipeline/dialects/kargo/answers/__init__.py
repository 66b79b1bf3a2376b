"""Answers about promotions: views, causes, graphs."""
