"""The template engine of Go: texts with actions in `{{ .. }}`, with the functions of sprig."""

from .options import TemplateOptions

__all__ = ["TemplateOptions"]
