"""Rules that several Lark kernels share, one idea per module; each area has its own folder."""
