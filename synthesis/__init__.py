"""Recording real servers, and measuring how alike the simulated ones are."""
