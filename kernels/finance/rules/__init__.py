"""What stands behind the one tool: what sites tell, and what the server makes of it."""
