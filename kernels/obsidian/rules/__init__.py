"""What several of Obsidian's kernels share, one idea per module."""
