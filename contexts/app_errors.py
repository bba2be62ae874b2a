"""What is said of an app whose files do not fit. It stands alone: commands know it that import nothing else of an app."""


class BrokenApp(ValueError):
    """Files of an app that do not make one. The message names the file, what is wrong there and what would be right."""
