"""Rules shared by Tavily's tools, one topic per module."""
