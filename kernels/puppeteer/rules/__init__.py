"""What several of Puppeteer's kernels share, one idea per module."""
