"""The doors to the outside: files, writing, network, programs, clock and chance, plugins."""
