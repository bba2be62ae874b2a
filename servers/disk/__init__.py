"""The shared disk app as people see it."""
