# Everything a newcomer needs: `make demo` shows a model's bias, `make test` runs the tests. Both set themselves up from
# nothing but a Python and a package index, and set up again only when pyproject.toml or constraints.txt change.
#
#   make demo PYTHON=python3.12     names another Python
#   make test JOBS=4                runs the tests in four processes
#   make content                    lints all templates and terms, filled in with each other
#   make docs                       builds the documentation site in build/docs
#   make notebooks                  runs the notebooks and stores their outputs
#   make reproduce                  repeats the core paper's experiment, small, on the bundled models
#   make coverage                   shows the lines that no test reaches
#   make train-demo-models DATA=..  names the folder of training data, see training/README.md (sst2/ sst5/ davidson/ ner/)

PYTHON ?= python3
JOBS ?= 2
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip

# Every version is pinned, also those that CheckList's set-up asks a pip of its own for.
export PIP_CONSTRAINT := $(CURDIR)/constraints.txt
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# CheckList's set-up registers a notebook extension: in the virtual environment, not in the user's home.
export JUPYTER_CONFIG_DIR := $(CURDIR)/$(VENV)/etc/jupyter
export JUPYTER_DATA_DIR := $(CURDIR)/$(VENV)/share/jupyter
export MPLBACKEND := Agg
export TOKENIZERS_PARALLELISM := false
# Compiled tests are kept from run to run: each process would otherwise compile all assertions, for ten seconds.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo reproduce test pytest coverage content docs lint style types notebooks train-demo-models bench clean
.DELETE_ON_ERROR:

demo: $(VENV)/core.stamp
	$(BIN)/fairness-checklist demo

reproduce: $(VENV)/core.stamp
	rm -rf runs/czarnowska2021
	$(BIN)/python benchmarks/papers/czarnowska2021.py --max-terms 3 --max-templates 12 --out runs/czarnowska2021

# The types are checked while the first tests run: mypy keeps one core busy for half a minute.
test: style
	$(MAKE) -j 2 pytest types

# Two processes share the cores, and each of them would otherwise take them all.
pytest: export OMP_NUM_THREADS := 1
pytest: $(VENV)/dev.stamp
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal tests fairness_checklist

# Tracing every line costs a third of the time of the tests.
coverage: export OMP_NUM_THREADS := 1
coverage: $(VENV)/dev.stamp
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal --cov --cov-report=term:skip-covered tests fairness_checklist

# Every template with every term; the tests read a part of them.
content: $(VENV)/dev.stamp
	$(BIN)/fairness-checklist lint

# Warnings are errors, and so is a link inside the site that leads nowhere. The examples of the verbs are run.
docs: $(VENV)/docs.stamp
	$(BIN)/python -m sphinx -q -n -W --keep-going -b html -d build/doctrees docs build/docs
	@echo "The documentation: build/docs/index.html"

# The tests run the notebooks as well, and compare.
notebooks: export OMP_NUM_THREADS := $(JOBS)
notebooks: $(VENV)/dev.stamp
	$(BIN)/python tests/build_notebooks.py

lint: style types

style: $(VENV)/dev.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: $(VENV)/dev.stamp
	$(BIN)/mypy $(wildcard fairness_checklist training/*.py benchmarks/*.py benchmarks/papers/*.py)

train-demo-models: $(VENV)/dev.stamp
	$(BIN)/python -m training.train_sentiment $(if $(DATA),--data $(DATA)) --snippets $(SNIPPETS) \
		--out fairness_checklist/bundled_models/sentiment
	$(BIN)/python -m training.train_toxicity $(if $(DATA),--data $(DATA)) --out fairness_checklist/bundled_models/toxicity
	$(BIN)/python -m training.train_tagger $(if $(DATA),--data $(DATA)) --out fairness_checklist/bundled_models/ner

bench: $(VENV)/dev.stamp
	set -e; for script in benchmarks/*.py; do $(BIN)/python $$script --quick; done

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit( \
		"$(PYTHON) is Python %d.%d, and 3.11 or newer is needed. Name another: make PYTHON=python3.11 $(MAKECMDGOALS)" \
		% sys.version_info[:2])'
	$(PYTHON) -m venv $(VENV)

# The tools that build this package, and those that CheckList's set-up wants to find when it starts.
$(VENV)/core.stamp: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) install --quiet --upgrade pip
	$(PIP) install --quiet hatchling editables
	$(PIP) install --quiet --no-build-isolation --editable .
	touch $@

$(VENV)/dev.stamp: $(VENV)/core.stamp
	$(PIP) install --quiet "setuptools<82" setuptools_scm wheel "notebook<7" jupyter
	$(PIP) install --quiet --no-build-isolation --editable ".[checklist,dev]"
	touch $@

$(VENV)/docs.stamp: $(VENV)/core.stamp
	$(PIP) install --quiet --no-build-isolation --editable ".[docs]"
	touch $@

clean:
	rm -rf $(VENV) build dist docs/reference runs .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis .coverage
