"""Sessions as files: what the library delivered, and when. docs/recordings.md describes them."""
