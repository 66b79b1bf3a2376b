"""The dialect of Kargo: promotions, rendered and checked without a cluster."""

from .options import PromotionOptions

__all__ = ["PromotionOptions"]
