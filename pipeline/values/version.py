"""The version, a constant so that `bpp --version` need not read package metadata."""

VERSION = "0.1.0"
