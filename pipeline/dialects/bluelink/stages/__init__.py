"""The stages of a blueprint, one file each."""
