"""Where the parts of an output come from: answers for one path, and a map of all of them."""
