"""What templates of Go compute with, and their functions by topic."""
