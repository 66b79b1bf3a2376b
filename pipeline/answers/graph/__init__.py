"""The graph of a document as data and as pictures."""
