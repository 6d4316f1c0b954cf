"""Rules of a file, from an event of a tag to actions; gestures that a user teaches; and the sleeve as an instrument."""
