"""Inspection of sessions: search, tables as files, and SQL, on a copy in a separate process."""
