# make          environment and default run        make test    the tests of each change
# make test-all also those that take longest       make equal   compare with another run's database (WITH=...)
# make quick    the small configuration            make bench   what replays and readers cost
# make probe    environment and the program that measures this machine's GPU
# make check    style and a sample of tests        make lint    style of code and workflow
# make clean    remove results
# make status   what the results hold              snakemake -n what a run would do, and why
# make doctor   what is missing for a run          make docs    the documentation as a site
# make audit    known faults of the packages       make sbom    the packages, as a bill of materials
# make validate a real Slurm executes a log, and replays are compared with it, in minutes
# make help     this list; settings of your own: make CONFIG=my.yaml

# The first Python that is there, works and is new enough.
PYTHON3 ?= $(shell for python in python3 python3.13 python3.12 python3.11; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$python && break; done)
VENV := .venv
PYTHON := $(VENV)/bin/python
INSTALLED := $(VENV)/.installed
SUPPLY := .bench/supply
CORES ?= all
# Settings of your own: make CONFIG=my.yaml
CONFIG ?=
# Results of another configuration are replaced without a question: make quick REPLACE=1
REPLACE ?=
SNAKEMAKE := $(VENV)/bin/snakemake --cores $(CORES)
# Snakemake keeps a cache below HOME; where that cannot be written it goes here.
ifneq ($(shell test -w "$$HOME" && echo yes),yes)
export XDG_CACHE_HOME := $(CURDIR)/.snakemake/cache
endif

# Measuring program for the GPU of this machine; for another one, make probe ARCH=sm_90.
NVCC ?= nvcc
ARCH ?= native

UNITS := tests/studies tests/fit tests/readers tests/statistics tests/claims tests/validation $(wildcard tests/test_*.py)

.PHONY: all help settings quick paper test test-all equal check lint budgets bench generate lock status doctor docs probe audit sbom validate clean

all: settings
	$(SNAKEMAKE) $(if $(CONFIG),--configfile $(CONFIG))

help:
	@sed -n '/^#/!q;s/^# //p' Makefile

settings: $(INSTALLED)
	@$(PYTHON) workflow/settings.py $(CONFIG)

quick: settings
	@$(if $(REPLACE),,PYTHONPATH=.:$$PYTHONPATH $(PYTHON) workflow/settings.py --replaces config/quick.yaml)
	$(SNAKEMAKE) --configfile config/quick.yaml

paper: settings
	$(SNAKEMAKE) --configfile config/paper.yaml

# On all cores, in an order that is drawn; its seed is printed, and pytest --randomly-seed=N draws it again.
test: $(INSTALLED)
	$(PYTHON) -m pytest -n auto --dist loadfile --durations 30 --durations-min 5

# Before a release: also the exhaustive tests, the default run with its documented outputs among them.
test-all: $(INSTALLED)
	$(PYTHON) -m pytest -n auto --dist loadfile --durations 30 --durations-min 5 --all

# All tables of two default runs, value by value: make equal WITH=../before/results/apportion.duckdb GONE="fitted".
equal: $(INSTALLED)
	$(PYTHON) workflow/equal.py $(WITH) $(if $(GONE),--gone $(GONE))

# What to run after each edit.
check: lint
	$(PYTHON) -m pytest -q -n auto --dist worksteal --sample $(UNITS)

lint: $(INSTALLED)
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/snakefmt --check Snakefile workflow
	$(PYTHON) workflow/lint.py
	$(PYTHON) workflow/budgets.py
	$(PYTHON) -m pipeline generate --check

bench: $(INSTALLED)
	$(PYTHON) -m bench

# Lower each budget of lines to what is there.
budgets: $(INSTALLED)
	$(PYTHON) workflow/budgets.py --lower

generate: $(INSTALLED)
	$(PYTHON) -m pipeline generate

status: settings
	$(PYTHON) -m pipeline status

doctor: settings
	$(PYTHON) -m pipeline doctor

docs: $(INSTALLED)
	$(PYTHON) -m pipeline.reference.site build/docs
	$(PYTHON) -m zensical build --strict

$(INSTALLED): requirements.lock workflow/install.py
	@test -n "$(PYTHON3)" || { echo "Python 3.11 or later is needed; name one: make PYTHON3=/path/to/python3"; exit 1; }
	@$(PYTHON3) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "$(PYTHON3) is not Python 3.11 or later; name one that is: make PYTHON3=/path/to/python3"; exit 1; }
	$(PYTHON3) -m venv $(VENV)
	$(PYTHON) -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@$(PYTHON) workflow/install.py
	@touch $@

probe: $(INSTALLED) build/probe

build/probe: $(wildcard probe/src/*) $(wildcard probe/src/kernels/*)
	@command -v $(NVCC) >/dev/null || { echo "nvcc is needed (CUDA toolkit); name it: make probe NVCC=/path/to/nvcc"; exit 1; }
	@mkdir -p build
	$(NVCC) -std=c++17 -O3 -arch=$(ARCH) -Xcompiler -Wall,-Wextra -Werror all-warnings $(NVCCFLAGS) -o $@ probe/src/probe.cu

# Known faults of the packages of the lock, as the Python Package Index knows them: fails where there are some, and where
# it cannot be asked.
audit: $(SUPPLY)/.installed
	$(SUPPLY)/bin/pip-audit --strict --disable-pip --require-hashes --progress-spinner off --requirement requirements.lock

# The packages of the lock in CycloneDX; the same lock gives the same bytes.
sbom: $(SUPPLY)/.installed
	$(SUPPLY)/bin/cyclonedx-py requirements --pyproject pyproject.toml --output-reproducible --output-format JSON \
		--output-file results/sbom.cdx.json requirements.lock

# Both programs, in an environment of their own.
$(SUPPLY)/.installed:
	$(PYTHON3) -m venv $(SUPPLY)
	$(SUPPLY)/bin/python -m pip install --quiet --disable-pip-version-check pip-audit==2.10.1 cyclonedx-bom==7.5.0
	@touch $@

# Two executions at 20 times the speed; more of them, or another speed: make validate RUNS=10 SPEED=10.
RUNS ?= 2
SPEED ?= 20
EXECUTED := build/validation/lanl_cm5

validate: $(INSTALLED)
	rm -rf $(EXECUTED)
	$(PYTHON) -m validation.slurm traces/lanl_cm5 $(EXECUTED) --first 1201 --jobs 100 --node-scale 32 --time-scale 4 \
		--speed $(SPEED) --repetitions $(RUNS)
	$(PYTHON) -m validation.slurm.compare $(EXECUTED)

# Newest versions within the bounds of pyproject.toml; needs uv.
lock:
	uv pip compile --universal --python-version 3.11 --extra workflow --extra test --extra dev --extra docs --generate-hashes \
		--no-emit-index-url --no-header --upgrade pyproject.toml -o requirements.lock

clean:
	find results -mindepth 1 ! -name README.md -delete
	rm -rf .kernels .snakemake
