"""Rules shared by Alipay's tools, one topic per module."""
