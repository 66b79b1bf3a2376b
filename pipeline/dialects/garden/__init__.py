"""Garden configuration: templates, structures and projects, rendered without Garden."""
