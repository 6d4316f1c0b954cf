"""Tags: which ones a command uses, their gear, and their current state."""
