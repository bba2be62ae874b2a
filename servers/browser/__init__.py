"""The shared view of the apps that control a browser."""
