"""Text of values: print, println, printf; html, js and urlquery."""
