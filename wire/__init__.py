"""Messages and engine values, both ways: the one codec of referee and clients."""
