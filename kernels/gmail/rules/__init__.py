"""Rules shared by the tools of this app, one topic per module."""
