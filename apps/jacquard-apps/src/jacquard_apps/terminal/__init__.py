"""The terminal: output, options and exit statuses."""
