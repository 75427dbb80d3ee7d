"""Target 7: what import and first fit cost in a new process."""

from benchmarks.measure import in_new_process
from benchmarks.targets.base import Target, at_most, column
from benchmarks.workers import first_fit_in_new_process

IMPORT = "import time; t = time.perf_counter(); {}; print(time.perf_counter() - t)"
STATEMENTS = "from largemargin import LDMClassifier", "import sklearn.svm"
FIRST_FITS = "fit, dense", "fit, sparse", "fit, kernel"


class Startup(Target):
    """Imports against ``sklearn.svm``'s; first fits against second ones."""

    name = "startup"
    title = "7. Start-up"
    about = (
        "Time to import LDMClassifier from largemargin against sklearn.svm; and how much "
        "longer the first fit of a new process takes than the second one, with all loops "
        "compiled before. Best of several processes that take turns."
    )
    columns = (
        column("import or fit", "what"),
        column("ratio", "ratio", ".2f"),
        column("added, s", "added", ".3f"),
        column("ours or first, s", "ours_seconds", ".3f"),
        column("sklearn or second, s", "theirs_seconds", ".3f"),
        column("gap", "gap", ".1e"),
    )

    def cells(self, bench):
        """Return the imports and a first fit for each kind of rows."""
        return [{"what": what} for what in ("import", *FIRST_FITS)]

    def measure(self, bench, **cell):
        """Return the best of several processes; the first may have filled caches."""
        repeats = bench.settings.process_repeats
        if cell["what"] == "import":
            runs = [
                [in_new_process("-c", IMPORT.format(statement)) for statement in STATEMENTS]
                for _ in range(repeats)
            ]
            ours, theirs = (min(times) for times in zip(*runs, strict=True))
            return {"ratio": ours / theirs, "ours_seconds": ours, "theirs_seconds": theirs}
        runs = [first_fit_in_new_process(cell["what"]) for _ in range(repeats)]
        best = min(runs, key=lambda run: run["first"] - run["second"])
        return {
            "added": best["first"] - best["second"],
            "ours_seconds": best["first"],
            "theirs_seconds": best["second"],
            "gap": best["gap"],
        }

    def claims(self, rows):
        """Claim both limits."""
        ratios = [row["ratio"] for row in rows if "ratio" in row]
        added = [row["added"] for row in rows if "added" in row]
        return [
            at_most("import, largemargin / sklearn.svm", 1.3, ratios),
            at_most("first fit adds, s, worst", 0.5, added),
        ]
