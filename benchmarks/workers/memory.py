"""The memory of this process, and the most it held."""

import ctypes
import gc
import os
import resource
from pathlib import Path

STATUS = Path("/proc/self/status")
REFERENCES = Path("/proc/self/clear_refs")


def limit_memory():
    """Have a fit that wants more than there is fail, instead of other processes end."""
    physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    resource.setrlimit(resource.RLIMIT_AS, (physical, physical))


def memory_now():
    """Return the bytes that the process holds and the most it held since the last reset."""
    if not STATUS.exists():
        peak = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak, peak
    lines = (line.split() for line in STATUS.read_text().splitlines())
    kib = {words[0]: int(words[1]) for words in lines if words[0] in ("VmRSS:", "VmHWM:")}
    return 1024 * kib["VmRSS:"], 1024 * kib["VmHWM:"]


def settle_memory():
    """Give back what is free, and forget the peak so far where the system can."""
    gc.collect()
    try:
        ctypes.CDLL(None).malloc_trim(0)
        REFERENCES.write_text("5")
    except (AttributeError, OSError):
        pass
