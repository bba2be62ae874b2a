"""State of sessions: the engine, each app's tables, and the tables of the shared library."""
