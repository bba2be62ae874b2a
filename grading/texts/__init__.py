"""What people wrote, read for what it says: words, numbers, moments. English and Chinese."""
