"""Tasks and their tasklists."""
