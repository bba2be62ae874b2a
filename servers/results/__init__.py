"""What was asked of a search engine as people see it: what the pages of the apps that search the web are made of."""
