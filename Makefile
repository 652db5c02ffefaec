# Everything a developer types. The presets behind the targets are in CMakePresets.json.

SHELL := /bin/bash
JOBS ?= $(shell nproc)
SECONDS_EACH := $(if $(filter command line environment,$(origin SECONDS)),$(SECONDS),60)
TARGET ?= all
PREFIX ?= /usr/local
# What `make test` runs before the tests; empty where lint has had its turn.
LINT ?= lint
INSTALL := tools/install_packages.sh
TRELLIS := build/release/trellis
KUBE := tests/kube/build.sh
# Kubernetes 1.X of `make test-kube`: a folder of tests/kube pins it.
export KUBE_VERSION ?= 1.37
# The program alone: a tree that has its tests keeps them.
PROGRAM = { test -f build/release/build.ninja || cmake --preset release -DTRELLIS_BUILD_TESTS=OFF > /dev/null; } && \
  cmake --build --preset release -j $(JOBS) --target trellis
# gcc 12's ThreadSanitizer cannot map its shadow where addresses are very random.
STEADY := $(shell setarch -R true 2>/dev/null && echo setarch -R)

.NOTPARALLEL:
.PHONY: help demo build test test-kube bench bench-kube compare lint format asan tsan fuzz mutation coverage full install package image clean

help:  ## Print this list
	@echo "Trellis: make TARGET"
	@sed -n 's/^\([a-z-]*\):.*##\(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | expand -t 12 | sed 's/^/  /'
	@echo "Variables: JOBS=$(JOBS), PREFIX=$(PREFIX) (install), TARGET and SECONDS (fuzz)"

demo:  ## Install what is missing, build, and schedule the hall of examples/nvl72
	@$(INSTALL) build
	@$(PROGRAM)
	@echo; echo "\$$ trellis schedule -f examples/nvl72/"
	@$(TRELLIS) schedule -f examples/nvl72/
	@echo; echo "\$$ trellis topology -f examples/nvl72/"
	@$(TRELLIS) topology -f examples/nvl72/
	@echo; echo "The program is $(TRELLIS); README.md goes on from here."

build:  ## Build release: build/release/trellis, trellis_tests, trellis_bench
	@$(INSTALL) build test
	@cmake --preset release > /dev/null
	@cmake --build --preset release -j $(JOBS)

test: $(LINT) build  ## Install what is missing, lint, build release, run every test
	ctest --preset release -j $(JOBS)
	@$(KUBE) --check > /dev/null || echo "skipped: make test-kube"

test-kube:  ## Run the binary beside a real API server, built once (needs Go; KUBE_VERSION=1.36)
	@$(INSTALL) build test
	@$(KUBE) > /dev/null
	@cmake --preset release > /dev/null
	@cmake --build --preset release -j $(JOBS) --target trellis
	@# Debian's own, which has the packages of the tests.
	/usr/bin/python3 tests/kube/real.py --binary $(TRELLIS)

bench: build  ## Run the benchmarks (BENCH=--benchmark_filter=..., more arguments)
	build/release/trellis_bench $(BENCH)
	build/release/trellis_packing --halls
	$(if $(TRELLIS_OPENB),build/release/trellis_packing $(TRELLIS_OPENB) | tee build/release/packing.csv)
	$(if $(TRELLIS_OPENB),python3 bench/packing/plot.py build/release/packing.csv > bench/packing/packing.svg)

compare: build  ## Our figures beside those of other schedulers: bench/compare/table.md (OPENB, BARS)
	python3 bench/compare/compare.py --run --openb "$(OPENB)" --bars "$(BARS)"

bench-kube:  ## The bars of a live cluster, beside a real API server and kube-scheduler (needs Go)
	@$(INSTALL) build test
	@cmake --preset release > /dev/null
	@cmake --build --preset release -j $(JOBS) --target trellis
	python3 tests/kube/bars.py --binary $(TRELLIS) pods
	python3 tests/kube/bars.py --binary $(TRELLIS) scale

lint:  ## Include rules, words, formatting, clang-tidy
	@$(INSTALL) build lint
	@python3 tools/lint/includes.py
	@python3 tools/lint/words.py
	@tools/lint/format.sh
	@python3 tools/lint/tidy.py

format:  ## Format every source in place
	@$(INSTALL) lint
	@tools/lint/format.sh --fix

asan:  ## Every test under AddressSanitizer and UndefinedBehaviorSanitizer
	@$(INSTALL) build test
	@cmake --preset asan > /dev/null
	@cmake --build --preset asan -j $(JOBS)
	ctest --preset asan -j $(JOBS)

tsan:  ## Every test under ThreadSanitizer
	@$(INSTALL) build test
	@cmake --preset tsan > /dev/null
	@cmake --build --preset tsan -j $(JOBS)
	$(STEADY) ctest --preset tsan -j $(JOBS)

fuzz:  ## libFuzzer: TARGET=NAME (default all), SECONDS=60 each
	@$(INSTALL) build test fuzz
	@cmake --preset fuzz > /dev/null
	@cmake --build --preset fuzz -j $(JOBS)
	@tools/fuzz.sh $(TARGET) $(SECONDS_EACH)

mutation:  ## Plant defects one at a time, for hours: the tests must catch each (DEFECTS=pattern ...)
	@$(INSTALL) build test
	@python3 tests/mutation/run.py --jobs $(JOBS) $(DEFECTS)

coverage:  ## Lines that the tests run, and those that they do not
	@$(INSTALL) build test
	@cmake --preset coverage > /dev/null
	@cmake --build --preset coverage -j $(JOBS)
	@python3 tools/coverage.py

full: test asan tsan fuzz  ## Tests, sanitizers, fuzzing, random worlds, long oracle runs, benchmarks: hours
	$(MAKE) test-kube KUBE_VERSION=1.37
	$(MAKE) test-kube KUBE_VERSION=1.36
	@tools/fuzz.sh world 600
	@# Without ctest, which would end them after the time that quick runs may take.
	seq 0 15 | TRELLIS_LONG=1 GTEST_TOTAL_SHARDS=16 xargs -P $(JOBS) -I{} \
	  env GTEST_SHARD_INDEX={} build/release/trellis_tests --gtest_brief=1
	python3 tests/snapshot/run.py --binary $(TRELLIS)
	python3 tests/invariants/run.py --binary $(TRELLIS) --inputs --worlds 20000 --mutated 20000 --histories 500 --watched 500 --jobs $(JOBS)
	build/release/trellis_bench $(BENCH)

install:  ## Install below PREFIX (and DESTDIR)
	@$(INSTALL) build
	@$(PROGRAM)
	cmake --install build/release --prefix $(PREFIX)

package:  ## Make a Debian package: build/release/package/trellis_*.deb
	@$(INSTALL) build package
	@$(PROGRAM)
	@cpack --config build/release/CPackConfig.cmake -B build/release/package

image:  ## Make a container image, without Docker: build/release/trellis-image.tar
	@$(INSTALL) build package
	@$(PROGRAM)
	packaging/image.py --binary $(TRELLIS) --output build/release/trellis-image.tar

clean:  ## Remove build/
	rm -rf build
