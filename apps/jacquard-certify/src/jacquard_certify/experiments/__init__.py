"""The experiments, by stage. Each takes the world and returns answers by the name of the question."""
