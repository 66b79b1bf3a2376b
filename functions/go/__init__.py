"""Formats as packages of Go read and write them."""
