"""`bpp/modules-1`: blueprints as resources."""
