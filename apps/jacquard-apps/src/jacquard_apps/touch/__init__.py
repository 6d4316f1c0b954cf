"""Touches: touch mode, gestures and faders."""
