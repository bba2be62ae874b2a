"""Rules shared by the Google search tools, one topic per module."""
