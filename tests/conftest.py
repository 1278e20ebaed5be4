"""What holds for every test."""

from hypothesis import HealthCheck, settings

# How long an example takes says more about the machine than about the code: timings belong in benchmarks.
settings.register_profile(
    "rummyref",
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
# Other examples every time, for whoever looks for more.
settings.register_profile("search", settings.get_profile("rummyref"), derandomize=False)
settings.load_profile("rummyref")
