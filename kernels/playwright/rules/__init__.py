"""What several of Playwright's kernels share, one idea per module."""
