# The tasks of this project. On Debian and Ubuntu, each target installs the packages that it needs (scripts/setup).

CLANG_FILES = $(shell git ls-files '*.c' '*.h' '*.cpp')
SHELL_SCRIPTS = $(shell git grep --files-with-matches --extended-regexp '^\#!(/usr/bin/env bash|/bin/sh)$$')
SWIFT_PATHS := Package.swift Sources Tests Benchmarks/Package.swift Benchmarks/Sources

.DEFAULT_GOAL := help
.PHONY: help run test suites test-faults test-page test-spark test-deb soak cache-soak golden budget build install \
	format lint clients bench bench-build bench-cache bench-facts bench-fairness bench-fetch bench-formats bench-http \
	bench-image bench-sizing bench-spark fuzz proxies-check rolling-restarts replicas image deb clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: build ## Build and start the service; ARGS='--port 9000' or DECANT_PORT=9000 for another port
	@exec .build/release/decant serve --show-example $(ARGS)

test: ## Build and run the tests; ARGS='--filter Configuration' runs some of them
	@scripts/setup test
	@scripts/test --build $(ARGS)

suites: ## Fetch the public suites of the claims into .suites (docs/testing.md); ARGS='json' for some of them
	@scripts/fetch-suites $(ARGS)

golden: ## Write the generated files: goldens, examples, the contract, and parts of docs; review the diff
	@scripts/setup build
	@swift build --build-tests
	@DECANT_WRITE_GOLDENS=1 swift test --skip-build --disable-xctest --filter "Golden|ResponseTable"

build: ## Build the release binary, which includes the Swift runtime
	@scripts/setup build
	@scripts/build

install: ## Install the program, its manual page and its completions in PREFIX=/usr/local; DESTDIR for packages
	@PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" BINARY="$(BINARY)" scripts/install

format: ## Format the code
	@scripts/setup lint
	@swift format format --in-place --parallel --recursive $(SWIFT_PATHS)
	@clang-format -i $(CLANG_FILES)

lint: ## Check the code style
	@scripts/setup lint
	@swift format lint --strict --parallel --recursive $(SWIFT_PATHS)
	@clang-format --dry-run -Werror $(CLANG_FILES)
	@shellcheck $(SHELL_SCRIPTS)

clients: ## Generate clients from the contract with openapi-python-client and openapi-generator, and compile them
	@scripts/setup clients
	@scripts/clients $(ARGS)

budget: build ## Compare instructions, lines, sizes and memory with Benchmarks/budget.json; ARGS='--write' writes it
	@Benchmarks/check "$$(scripts/build --show-bin-path)/decant" $(ARGS)

bench: ## Measure JSON, XML and property lists, compared with other libraries; ARGS='twitter' for one file of JSON
	@scripts/setup bench
	@Benchmarks/bench-json $(ARGS)
	@$(if $(ARGS),,Benchmarks/bench-markup)

bench-image: ## Measure facts and thumbnails, compared with libvips and libjpeg; needs python3 with pyvips and numpy
	@scripts/setup bench
	@Benchmarks/bench-image

bench-http: build ## Measure the service next to an echo server on the same library; ARGS='connections' for one section
	@scripts/setup bench
	@Benchmarks/bench-http "$$(scripts/build --show-bin-path)/decant" $(ARGS)

bench-fetch: build ## Measure fetching next to nginx and Varnish; ARGS='herd' for one section
	@scripts/setup bench-fetch
	@Benchmarks/bench-fetch "$$(scripts/build --show-bin-path)/decant" $(ARGS)

bench-cache: build ## Measure the cache next to nginx, and thumbor (THUMBOR=PATH); ARGS='thumbnail' for one section
	@scripts/setup bench-fetch
	@Benchmarks/bench-cache "$$(scripts/build --show-bin-path)/decant" $(ARGS)

bench-facts: build ## Measure the cost and the latency of facts of images; ARGS=BASE compares it with another binary
	@scripts/setup bench
	@Benchmarks/bench-facts "$$(scripts/build --show-bin-path)/decant" $(ARGS)

bench-build: ## Measure the first build and a debug build after a change, in a clone of the last commit
	@scripts/measure-build $(ARGS)

bench-sizing: build ## Measure requests/s, processor time and memory by kind of content; ARGS='1 1' for one round of 1 s
	@scripts/setup bench
	@Benchmarks/bench-sizing "$$(scripts/build --show-bin-path)/decant" $(ARGS)

bench-formats: build ## Compare CSV, event streams and feeds with Python's libraries and JSON; ARGS='1' for 1 s per turn
	@scripts/setup bench
	@Benchmarks/bench-formats "$$(scripts/build --show-bin-path)/decant" $(ARGS)

bench-fairness: build ## Measure how kinds of work affect each other; two cores; ARGS='1 5' for one round of 5 s
	@scripts/setup bench
	@Benchmarks/bench-fairness "$$(scripts/build --show-bin-path)/decant" $(ARGS)

bench-spark: build ## Measure the package for Apache Spark; needs Java; ARGS='memory' for one section
	@Benchmarks/bench-spark "$$(scripts/build --show-bin-path)/decant" $(ARGS)

fuzz: ## Fuzz one target on one core: TARGET=FuzzJSON SECONDS=60 (docs/fuzzing.md)
	@scripts/setup build
	@Tests/Fuzz/run $(or $(TARGET),FuzzJSON) $(or $(SECONDS),60)

test-faults: build ## Send hostile documents in small control groups; needs root; ARGS='--limits 128 --unread'
	@scripts/memory-faults "$$(scripts/build --show-bin-path)/decant" $(ARGS)

test-page: build ## Test the page at / in Chromium; ARGS='ExampleTests' for one class; fails if it was skipped
	@scripts/test-page "$$(scripts/build --show-bin-path)/decant" $(ARGS)

test-spark: build ## Test the package for Apache Spark; needs Java; ARGS='test_frames' for one file; fails if skipped
	@scripts/test-spark "$$(scripts/build --show-bin-path)/decant" $(ARGS)

soak: build ## Send mutated contents for 30 minutes in 256 MiB; needs root; ARGS='--seconds 60 --limit 512'
	@scripts/memory-soak "$$(scripts/build --show-bin-path)/decant" $(ARGS)

cache-soak: build ## Send random requests for 30 minutes, with a small cache and failing origins; ARGS='--seconds 60'
	@scripts/cache-soak "$$(scripts/build --show-bin-path)/decant" $(ARGS)

proxies-check: build ## Check that responses behind nginx and HAProxy are never mixed up, while hostile clients attack
	@scripts/proxies-check "$$(scripts/build --show-bin-path)/decant" $(ARGS)

rolling-restarts: build ## Restart three replicas behind HAProxy under load; no request may fail; ARGS='100' restarts
	@scripts/rolling-restarts "$$(scripts/build --show-bin-path)/decant" $(ARGS)

replicas: build ## Check the file for HAProxy with three replicas that fetch, one of which is restarted
	@scripts/replicas "$$(scripts/build --show-bin-path)/decant" $(ARGS)

image: ## Build the container image decant:dev with Docker
	@docker build --tag decant:dev $$(scripts/image-arguments) .

deb: ## Build the Debian package in .build/deb; BINARY=PATH packs a program that exists (docs/packages.md)
	@BINARY="$(BINARY)" VERSION="$(VERSION)" scripts/deb

test-deb: ## Test the Debian package in a new Debian 12; needs root and a Debian mirror; fails if it was skipped
	@BINARY="$(BINARY)" scripts/test-deb

clean: ## Remove all build products
	@rm -rf .build .build-ci .build-fuzz Benchmarks/.build
