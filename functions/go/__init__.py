"""Go's own texts, which the functions of several languages share."""
