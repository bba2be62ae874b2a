"""Rules shared by Playwright's tools, one topic per module."""
