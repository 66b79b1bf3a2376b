"""Projects of Garden: files, environments, variables, templates, actions."""
