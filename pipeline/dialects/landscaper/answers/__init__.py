"""Answers to commands about blueprints."""
