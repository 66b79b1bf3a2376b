"""Go's own texts and formats, which the functions of several languages share."""
