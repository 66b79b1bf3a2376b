"""The stages of the blueprint pipeline, one file each."""
