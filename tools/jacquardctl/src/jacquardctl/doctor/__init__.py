"""Diagnoses whether and why Bluetooth can or cannot be used on this machine."""
