"""The origin of each part of a materialised blueprint."""
