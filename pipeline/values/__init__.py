"""Plain data that everything else is about: sources, trees, documents, diagnostics, settings."""
