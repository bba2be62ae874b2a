"""Rules shared by Obsidian's tools, one topic per module."""
