# The everyday commands; `make` alone lists them.
SHELL := /bin/bash
export PATH := $(PATH):$(HOME)/.cargo/bin

BUILD := build
MODEL := .deps/models/smollm2-135m
JOBS ?= $(shell nproc)
FUZZ_SECONDS ?= 60
PARITY_PYTHON ?= .deps/parity/bin/python
CMAKE_FLAGS := $(if $(ILT_LIBTORCH),-DILT_LIBTORCH=$(ILT_LIBTORCH))

.DEFAULT_GOAL := help
.PHONY: help deps build test generate test-python test-go test-rust test-examples quickstart lint format tidy fuzz fuzz-merge sanitize parity bench clean distclean

help: ## list these commands
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/\1|\2/p' Makefile | while IFS='|' read -r name text; do printf '  make %-13s %s\n' "$$name" "$$text"; done

deps: ## install what building and testing needs (Debian packages, Rust, Go, libtorch); quick when it is there
	@tools/deps.sh build model python go

build: $(BUILD)/build.ninja ## build the library and the command: build/lib/libilt.so, build/bin/ilt
	@cmake --build $(BUILD) -j $(JOBS)

$(BUILD)/build.ninja: CMakeLists.txt CMakePresets.json
	@cmake --preset release -Wno-dev $(CMAKE_FLAGS)

$(MODEL)/config.json:
	@tools/deps.sh model
	@.deps/venv/bin/python tools/make_smollm2.py $(MODEL)

test: build $(MODEL)/config.json ## build and run all tests
	@ctest --test-dir $(BUILD) --output-on-failure

test-python: build ## build and run the tests of the Python package alone
	@ctest --test-dir $(BUILD) --output-on-failure -R '^(python|capi_model)'

test-go: build ## run the tests of the Go package and its examples
	@ctest --test-dir $(BUILD) --output-on-failure -R '^(go|go_examples|example_go|recipes_go)$$'

test-rust: build ## run the tests of the Rust binding and its example
	@ctest --test-dir $(BUILD) --output-on-failure -R '^(example_|recipes_)?rust'

test-examples: build ## run the examples of all languages, and the recipes through them
	@ctest --test-dir $(BUILD) --output-on-failure -R '^(example_|recipes_|go_examples$$|python_recipes$$)'

generate: build ## rewrite what is made from ilt.h, options and families: docs, files of the bindings
	@$(BUILD)/bin/ilt config --markdown > docs/config.md
	@$(BUILD)/bin/ilt models --markdown > docs/models.md
	@$(BUILD)/bin/ilt config | bindings/python/tools/make_options.py > bindings/python/src/ilt/_options.py
	@bindings/python/tools/make_stub.py include/ilt.h > bindings/python/src/ilt/_native.pyi
	@tools/check_bindings.py --table > docs/bindings.md
	@cmake --install $(BUILD) --prefix $(BUILD)/go/installed > /dev/null
	@PKG_CONFIG_PATH=$(CURDIR)/$(BUILD)/go/installed/lib/pkgconfig LD_LIBRARY_PATH=$(CURDIR)/$(BUILD)/lib \
	  tools/go.sh -C bindings/go generate
	@ILT_DIR=$(CURDIR)/$(BUILD) LD_LIBRARY_PATH=$(CURDIR)/$(BUILD)/lib CARGO_TARGET_DIR=$(BUILD)/rust \
	  cargo run --quiet --manifest-path bindings/rust/Cargo.toml -p xtask

quickstart: deps build $(MODEL)/config.json ## fine-tune a small model for 20 steps; the result is in out/quickstart
	@tools/quickstart.sh

lint: ## check format, layers and files
	@tools/deps.sh lint python
	@tools/lint.sh

format: ## rewrite C++, Rust, Go and Python files in the project's format
	@tools/format.sh

tidy: build ## run clang-tidy over src/ (slow)
	@tools/deps.sh lint
	@run-clang-tidy-19 -quiet -p $(BUILD) -j $(JOBS) '$(CURDIR)/src/.*\.cpp$$'

fuzz: ## build the fuzzers and run each for FUZZ_SECONDS (60)
	@tools/deps.sh build fuzz
	@cmake --preset fuzz -Wno-dev $(CMAKE_FLAGS)
	@cmake --build --preset fuzz -j $(JOBS)
	@tools/fuzz.py run --seconds $(FUZZ_SECONDS) --jobs $(JOBS)

fuzz-merge: ## add to tests/fuzz/corpus what `make fuzz` found and nothing there reaches
	@tools/fuzz.py merge

sanitize: ## run the tests of the C interface with the sanitizers of threads, of memory and leaks, and of undefined behaviour
	@for preset in tsan asan; do \
	  cmake --preset $$preset -Wno-dev $(CMAKE_FLAGS) && cmake --build build-$$preset -j $(JOBS) --target test_capi && \
	  ctest --test-dir build-$$preset --output-on-failure -R '^capi$$' || exit 1; \
	done

parity: build $(MODEL)/config.json ## compare losses, scores and exports with transformers (installs 5 GB)
	@[ -x "$(PARITY_PYTHON)" ] || tools/deps.sh parity
	@[ -d out/quickstart/hf_format ] || tools/quickstart.sh
	@$(PARITY_PYTHON) tools/parity.py live
	@$(PARITY_PYTHON) tools/check_exports.py

bench: build $(MODEL)/config.json ## measure a training step against transformers (installs 5 GB)
	@[ -x "$(PARITY_PYTHON)" ] || tools/deps.sh parity
	@$(PARITY_PYTHON) benchmarks/train_step_vs_transformers.py

clean: ## remove what was built and the results in out/
	@rm -rf $(BUILD) build-* out

distclean: clean ## remove the downloads as well
	@rm -rf .deps
