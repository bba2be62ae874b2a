"""The HTTP server process, and workers."""
