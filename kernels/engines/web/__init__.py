"""What the servers that see the web share: addresses, pages as trees, text and links, Markdown, walks over links, ranking."""
