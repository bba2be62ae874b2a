"""Rules that several Slack kernels share, one idea per module."""
