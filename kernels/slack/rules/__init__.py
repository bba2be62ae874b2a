"""What several of Slack's kernels share, one idea per module."""
