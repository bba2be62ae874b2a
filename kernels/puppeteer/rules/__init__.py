"""Rules shared by Puppeteer's tools, one topic per module."""
