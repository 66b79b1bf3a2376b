"""The functions of Spiff that need no scope, by topic."""
