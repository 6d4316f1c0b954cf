"""Gestures that a user has taught: episodes of touching, the recogniser, and the file of examples."""
