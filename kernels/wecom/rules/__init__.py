"""Rules shared by WeCom's tools, one topic per module."""
