"""Rules shared by Tushare's tools, one topic per module."""
