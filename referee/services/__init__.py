"""gRPC servicers: thin, one module a service."""
