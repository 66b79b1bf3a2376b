"""Garden configuration: templates, structures and projects, rendered without Garden."""

from .options import ProjectOptions

__all__ = ["ProjectOptions"]
