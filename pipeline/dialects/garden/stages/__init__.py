"""The stages of a project, one file each."""
