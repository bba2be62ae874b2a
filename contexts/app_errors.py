"""The error for an app with invalid files, separate so that commands can catch it without importing apps."""


class BrokenApp(ValueError):
    """An app's files are missing or invalid. The message names the file, the problem and the valid form."""
