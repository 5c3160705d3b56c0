# Each target sets up what it needs in .venv and runs; nothing else is touched.
PYTHON ?= python3
BIN := .venv/bin
VENDOR := neodp/explore/static/vendor

.PHONY: demo test test-fast test-newer test-browser test-spark screenshots lint junit server bench docs plugin vendor clean

demo: .venv/ready-run
	@$(BIN)/neodp demo

test:
	@$(MAKE) --no-print-directory --jobs 3 --output-sync lint junit server
	$(BIN)/python -m pytest --numprocesses auto --maxprocesses 4 --ignore tests/browser --ignore tests/spark \
	  --ignore tests/plugin/test_neo4j_newer.py

# the core, the data and the layers, but for the longest tests: no server, no browser
test-fast: .venv/ready-test
	$(BIN)/python -m pytest --numprocesses auto --maxprocesses 4 --hypothesis-profile fast \
	  -k "not (neo4j or type_checkers or loads_alone or exactly_private or far_tails or exact_checks or however_often)" \
	  tests/core tests/data tests/study tests/test_layers.py tests/test_public_names.py

# a slice of the tests of the plugin and of the store, on the newer line of Neo4j
NEWER := 2026.08.1
SLICE := older_line or walk_through or every_procedure or found_by_the_other_and_spent or every_bit_is_that_of_the_client or ctrl_c or whose_commit
test-newer: .venv/ready-test
	NEODP_TEST_NEO4J_VERSION=$(NEWER) $(BIN)/python -m pytest -k "$(SLICE)" \
	  tests/plugin/test_neo4j_newer.py tests/plugin/test_neo4j_docs.py tests/plugin/test_neo4j_polls.py tests/plugin/test_neo4j_naming.py \
	  tests/store/test_neo4j_lost.py

# the explorer and the site in a real browser: Chromium or Chrome, or the one that NEODP_TEST_BROWSER names
test-browser: .venv/ready-browser docs
	$(BIN)/python -m pytest tests/browser

# blocks on Spark, which is large and has an environment of its own
test-spark: .venv-spark/ready
	.venv-spark/bin/python -m pytest tests/spark

# the pictures of README and docs, taken by the same run
screenshots: .venv/ready-browser
	NEODP_SCREENSHOTS=docs/images $(BIN)/python -m pytest tests/browser -k screenshots

lint: .venv/ready-lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m tools.advisories

# the plugin's own tests, where there is Maven
junit:
	@if command -v mvn > /dev/null; then cd plugin && mvn --batch-mode --quiet package; fi

# the jars of the server that the tests start; without them, the tests say what is missing
server: .venv/ready-lint
	-@$(BIN)/python -m tools.neo4j_server --fetch

# the jar for the plugins folder of a Neo4j server, tested; `neodp plugin install` and the wheel take it from neodp/
plugin:
	cd plugin && mvn --batch-mode --quiet package
	cp plugin/target/neodp-plugin.jar neodp/

# the component that draws graphs, of the version that its README names
vendor:
	@npm pack --silent --pack-destination /tmp \
	  cytoscape@$$(sed -n 's/^| `cytoscape.min.js` .* | \([0-9.]*\) | .*/\1/p' $(VENDOR)/README.md) > /tmp/neodp-vendor
	@tar -xOf /tmp/$$(cat /tmp/neodp-vendor) package/dist/cytoscape.min.js > $(VENDOR)/cytoscape.min.js
	@tar -xOf /tmp/$$(cat /tmp/neodp-vendor) package/LICENSE > $(VENDOR)/cytoscape.LICENSE
	@rm /tmp/$$(cat /tmp/neodp-vendor) /tmp/neodp-vendor

bench: .venv/ready-bench
	$(BIN)/python -m bench

# the documentation as a site in site/, with every link checked
docs: .venv/ready-docs
	$(BIN)/python -m tools.notebook
	$(BIN)/python -m tools.site

clean:
	rm -rf .venv .venv-spark

# .venv/ready-X says that what X needs is installed, for pyproject.toml as it is
.venv/ready-run: extras = .[plot]
.venv/ready-test: extras = .[test]
.venv/ready-browser: extras = .[test,browser]
.venv/ready-lint: extras = .[test,bench]
.venv/ready-bench: extras = .[bench]
.venv/ready-docs: extras = .[docs]
.venv/ready-%: pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@echo "installing $(extras)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable "$(extras)"
	@touch $@

.venv-spark/ready: pyproject.toml
	@test -x .venv-spark/bin/python || $(PYTHON) -m venv .venv-spark
	@echo "installing .[test,spark]"
	@.venv-spark/bin/python -m pip install --quiet --disable-pip-version-check --editable ".[test,spark]"
	@touch $@
