"""Electronic mail: addresses, headers, dates, MIME trees and threads, as pure functions of texts and bytes."""
