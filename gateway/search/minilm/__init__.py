"""The optional model for search, all-MiniLM-L6-v2."""
