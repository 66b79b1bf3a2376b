"""Answers about results: differences, explanations, graphs."""
