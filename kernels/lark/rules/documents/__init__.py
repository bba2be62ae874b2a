"""Documents, wiki nodes, and their collaborators (docx, wiki, drive)."""
