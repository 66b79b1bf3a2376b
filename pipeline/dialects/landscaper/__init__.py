"""The dialect of Landscaper: blueprints, rendered and checked without a cluster."""

from .options import BlueprintOptions

__all__ = ["BlueprintOptions"]
