"""Rules of a file, from an event of a tag to actions."""
