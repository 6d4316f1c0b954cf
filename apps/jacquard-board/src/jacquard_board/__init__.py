"""The browser view: a server on this machine, and the page that it serves. docs/board.md describes it."""
