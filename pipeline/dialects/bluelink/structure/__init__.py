"""The structure of a blueprint: sections, keys, types, and the recovery from mistakes in them."""
