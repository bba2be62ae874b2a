"""Rules of the price tool: quotes of the simulated sites, and the server's format."""
