# Each target sets up what it needs in .venv and runs; nothing else is touched.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test lint bench plugin clean

demo: .venv/ready-run
	@$(BIN)/neodp demo

test: .venv/ready-test lint
	$(BIN)/python -m pytest --numprocesses auto --maxprocesses 4

lint: .venv/ready-lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m tools.advisories

# the jar for the plugins folder of a Neo4j server; `neodp plugin install` and the wheel take it from neodp/
plugin:
	cd plugin && mvn --batch-mode --quiet package
	cp plugin/target/neodp-plugin.jar neodp/

bench: .venv/ready-bench
	$(BIN)/python -m bench

clean:
	rm -rf .venv

# .venv/ready-X says that what X needs is installed, for pyproject.toml as it is
.venv/ready-run: extras = .[plot]
.venv/ready-test: extras = .[test]
.venv/ready-lint: extras = .[test,bench]
.venv/ready-bench: extras = .[bench]
.venv/ready-%: pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@echo "installing $(extras)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable "$(extras)"
	@touch $@
