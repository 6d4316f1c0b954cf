"""What jacquardctl run does now, for other programs of this user."""
