"""The evaluation of a blueprint: references, inputs, data sources."""
