# Two commands set everything up on a machine that has Python 3.11 or newer: `make serve` and `make test`.

PYTHON ?= python3
HOST ?= 127.0.0.1
PORT ?= 8700
DATA ?=
APP ?=
STATEMENTS ?= 1000000
COUNT ?= 200
CALLS ?= 5000
SEED ?= 0
BAR ?= 85
SINCE ?=
DRAW ?= 0
PART ?=
JOBS ?= 2
ROUNDS ?= 200
WALKS ?= 24
PACKAGES ?= node_modules
# One more than there are cores: tests wait for processes that they start.
TESTERS ?= $(shell echo $$(($$(getconf _NPROCESSORS_ONLN) + 1)))
VENV := .venv
BIN := $(VENV)/bin
RUNTIME := $(VENV)/.runtime
DEV := $(VENV)/.dev

# Tests start hundreds of processes, which begin sooner where compiled modules are kept; images often say that none are to be.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: serve test test-all test-long examples test-timed coverage kills servers fuzz fuzz-calls browsers mutants lint types imports spelling check bench lock clean help

help: ## Show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

serve: $(RUNTIME) ## Run the gateway (HOST=, PORT=, DATA= change where)
	$(BIN)/soundstage serve --host $(HOST) --port $(PORT) $(if $(DATA),--data $(DATA))

test: $(DEV) ## Run the tests
	$(BIN)/python -m pytest -m "not long" -n $(TESTERS) --dist loadfile $(TESTS)

test-long: $(DEV) ## Run the tests that take longer (PART=1/3 a third of them)
	$(BIN)/python -m pytest -m "long and not timed" -n $(TESTERS) --dist loadfile $(if $(PART),--part $(PART)) $(TESTS)

test-all: test test-long examples ## Run every test but the timed ones

coverage: $(DEV) ## Run the tests and print how many lines they cover (TESTS= a part of them)
	$(BIN)/python -m pytest -m "not long" -n $(TESTERS) --dist loadfile --cov --cov-report=term:skip-covered $(TESTS)

examples: $(DEV) ## Run the tests of properties with other examples than those that every run has (SEED=)
	$(BIN)/python -m pytest -m hypothesis -n $(TESTERS) --dist loadfile --hypothesis-profile others $(if $(SEED:0=),--hypothesis-seed $(SEED)) $(TESTS)

test-timed: $(DEV) ## Run the tests that look at a clock, on a quiet machine
	$(BIN)/python -m pytest -m timed $(TESTS)

kills: $(DEV) ## Kill gateways while sessions are made, and see that nothing half done is left (ROUNDS=, SEED=)
	$(BIN)/python -m tests.gateway.kills --rounds $(ROUNDS) --seed $(SEED)

servers: $(DEV) ## Record real servers, synthesise them and tell in docs/parity.md how that went (NAMES=, WORK=, OTHERS=)
	$(BIN)/python -m tests.synthesis.servers $(NAMES) $(if $(WORK),--work $(WORK)) $(if $(OTHERS),--others $(OTHERS))

fuzz: $(DEV) ## Compare contexts that share pages with plain ones (STATEMENTS=, SEED=)
	$(BIN)/python -m tests.contexts.pages_fuzz --statements $(STATEMENTS) --seed $(SEED)

fuzz-calls: $(DEV) ## Call an app's tools thousands of times in two worlds, and see that every promise is kept (APP=, CALLS=, SEED=)
	$(BIN)/python -m tests.gateway.fuzz $(APP) --calls $(CALLS) --seed $(SEED)

browsers: $(DEV) ## Compare our browser with Chromium behind the real servers (PACKAGES= a node_modules that has them, WALKS=, SEED=)
	$(BIN)/python -m tests.browsers $(PACKAGES) --walks $(WALKS) --seed $(SEED)

mutants: $(DEV) ## See what an app's cases do not notice when its kernels change (APP=, COUNT=, SEED=, BAR=, JOBS=, SINCE=, DRAW=)
	$(BIN)/python -m tests.mutants $(APP) --count $(COUNT) --seed $(SEED) --bar $(BAR) --jobs $(JOBS) $(if $(SINCE),--since $(SINCE) --draw $(DRAW))

lint: $(DEV) ## Check style and formatting
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(DEV) ## Check types
	$(BIN)/mypy

imports: $(DEV) ## Check that imports point one way
	$(BIN)/lint-imports

spelling: $(DEV) ## Check the spelling of code and documentation
	$(BIN)/codespell

check: lint types imports spelling ## lint, types, imports and spelling

bench: $(DEV) ## Measure the speed table, each row against its yardstick
	$(BIN)/python -m bench $(BENCH)

lock: $(DEV) ## Pin the dependencies anew
	$(BIN)/uv pip compile pyproject.toml --universal --generate-hashes --no-header -o requirements.lock
	$(BIN)/uv pip compile pyproject.toml --extra dev --universal --generate-hashes --no-header -o requirements-dev.lock
	$(BIN)/uv pip compile --group build --universal --generate-hashes --no-header -o requirements-build.lock

clean: ## Remove the environment
	rm -rf $(VENV)

$(VENV)/pyvenv.cfg:
	$(PYTHON) -m venv $(VENV)

$(RUNTIME): $(VENV)/pyvenv.cfg requirements.lock pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -e .
	touch $(RUNTIME)

$(DEV): $(RUNTIME) requirements-dev.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	touch $(DEV)
