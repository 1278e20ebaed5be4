"""What holds for every test."""

from hypothesis import settings

# How long an example takes says more about the machine than about the code: timings belong in benchmarks.
settings.register_profile("rummyref", deadline=None)
settings.load_profile("rummyref")
