"""The sleeve as an instrument: from touches to MIDI and OSC messages."""
