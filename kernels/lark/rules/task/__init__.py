"""Tasks and the tasklists that they stand in."""
