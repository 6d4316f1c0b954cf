"""The operating system: processes, files and tasks."""
