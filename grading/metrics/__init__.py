"""What trials tell beside their score, each figure by a formula of docs/results.md."""
