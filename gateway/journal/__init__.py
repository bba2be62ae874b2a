"""Views of a session's journal."""
