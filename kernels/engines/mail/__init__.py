"""Electronic mail: addresses, headers, dates, MIME trees, threads; plain functions of texts and bytes."""
