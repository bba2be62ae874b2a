"""Shared by the servers that read the web: URLs, page trees, text and links, Markdown, crawling and ranking."""
