"""The parts of a project: configurations, environments, templates, actions."""
