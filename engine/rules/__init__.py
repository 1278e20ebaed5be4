"""Rule sets: one module a family, and the values and small policies they are made of."""
