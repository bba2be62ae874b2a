"""Looking into a session from beside it: finding, tables as files, SQL. All of it reads a copy, in a thread of its own."""
