"""Recordings: what the library delivered, and when. docs/jacquardctl.md describes the file."""
