"""The terminal: questions, and a live view."""
