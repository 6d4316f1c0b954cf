"""Diagnoses whether Bluetooth can be used on this machine, and why not."""
