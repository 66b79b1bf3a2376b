"""Child blueprints: finding, reading and rendering them."""
