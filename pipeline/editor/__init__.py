"""The language server: what editors ask while one types. Needs the extra `lsp`."""
