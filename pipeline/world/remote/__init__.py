"""Child blueprints and files that are elsewhere: web servers, object stores, plugins."""
