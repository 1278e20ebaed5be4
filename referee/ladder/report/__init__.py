"""The report of a ladder: one HTML page that needs nothing else."""
