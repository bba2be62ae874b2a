"""Rules that several Telegram kernels share."""
