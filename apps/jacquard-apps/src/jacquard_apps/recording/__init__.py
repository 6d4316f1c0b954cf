"""Recordings: files with everything that a tag reported."""
