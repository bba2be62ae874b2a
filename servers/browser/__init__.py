"""A browser as people see it: what the pages of the apps that drive one are made of."""
