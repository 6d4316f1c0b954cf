"""jacquardctl setup: from a new tag to a working rule, step by step."""
