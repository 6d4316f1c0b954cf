"""Shared parts of the programs for people: the terminal, the selection of tags, touches, recordings and the system."""
