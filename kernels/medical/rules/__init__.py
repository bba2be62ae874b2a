"""Rules shared by the medical tools, one topic per module."""
