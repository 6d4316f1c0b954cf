"""Effects: LED patterns and vibrations, as they are written on the command line."""
