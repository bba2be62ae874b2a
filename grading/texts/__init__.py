"""Reading of English and Chinese texts: words, numbers, dates and times."""
