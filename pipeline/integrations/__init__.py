"""bpp as a part of other build tools; what each of them loads is a file or a folder here."""
