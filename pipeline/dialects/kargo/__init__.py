"""The dialect of Kargo: promotions, rendered and checked without a cluster."""
