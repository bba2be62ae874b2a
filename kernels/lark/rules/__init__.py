"""What several of Lark's kernels share, one idea per module."""
