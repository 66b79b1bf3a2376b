"""Services of Acme in blueprints."""
