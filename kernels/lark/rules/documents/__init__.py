"""Documents, wiki nodes, and with whom they are shared (docx, wiki, drive)."""
