"""Rules shared by Context7's tools, one topic per module."""
