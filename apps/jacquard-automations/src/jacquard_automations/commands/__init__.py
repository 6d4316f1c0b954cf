"""The commands run, play and gesture of jacquardctl."""
