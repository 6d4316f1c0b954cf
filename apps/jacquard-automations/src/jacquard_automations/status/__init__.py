"""The current status of jacquardctl run, for other programs of this user."""
