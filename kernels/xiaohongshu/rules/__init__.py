"""Rules that several Rednote kernels share, one idea per module."""
