"""Answers about blueprints."""
