"""What several of Lark's kernels share, one idea per module; what one area alone needs is in that area's folder."""
