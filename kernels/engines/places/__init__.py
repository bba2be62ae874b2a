"""The geography engine of the map apps: places, addresses, routes and weather."""
