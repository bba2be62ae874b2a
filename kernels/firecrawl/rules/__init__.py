"""What Firecrawl's kernels share, one idea per module."""
