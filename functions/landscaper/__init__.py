"""The functions of Landscaper, for templates of both engines."""
