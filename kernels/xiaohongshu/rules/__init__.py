"""What several of Rednote's kernels share, one idea per module."""
