"""The shared view of the apps that search the web."""
