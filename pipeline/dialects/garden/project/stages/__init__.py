"""The stages of a project, one a file."""
