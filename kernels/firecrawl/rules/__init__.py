"""Rules shared by Firecrawl's tools, one topic per module."""
