"""Live tables: one coroutine a table, seats and delivery as values beside it."""
