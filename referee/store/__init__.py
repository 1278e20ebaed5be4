"""Storage: models, the record writer and queries."""
