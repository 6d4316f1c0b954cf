"""What the programs for people share: the terminal, the selection of tags, touches, recordings and the system."""
