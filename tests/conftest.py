"""Settings of all tests."""

from hypothesis import HealthCheck, settings

# Machines that are busy with other things must not fail a test.
settings.register_profile("tokviz", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("tokviz")
