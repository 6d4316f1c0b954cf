"""Recordings: what the library delivered, and when. docs/recordings.md describes the file."""
