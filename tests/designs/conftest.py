import pytest


@pytest.fixture(autouse=True)
def _two_threads(two_blas_threads):
    """Have threads to tell apart, also where processes share the cores."""
