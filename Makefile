# The doors of the house. `make demo` and `make test` do everything on a fresh machine; NO_INSTALL=1 skips packages.
.DEFAULT_GOAL := help
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
CMAKE ?= cmake
export CCACHE_NOHASHDIR := 1
export CCACHE_BASEDIR := $(CURDIR)

# Configures and builds one preset; what CMake says is kept in build/PRESET.log and shown when it fails.
build_preset = mkdir -p build && { $(CMAKE) --preset $(1) >build/$(1).log 2>&1 || { cat build/$(1).log; exit 1; }; } && \
  $(CMAKE) --build build/$(1) -j $(JOBS)

.PHONY: help release dev static recorder demo test test-failures test-endurance lint fuzz tsan coverage bench test-vm test-clean pages packages install uninstall clean

help:
	@echo 'make demo        build, record a real program, print its report, write a flame graph'
	@echo 'make test        build and run every test that can run here'
	@echo 'make install     install under PREFIX ($(PREFIX)); PERF_LINK=1 also installs it as perf'
	@echo 'make uninstall   remove what make install installed under PREFIX'
	@echo 'make static      one file without libraries, build/static/bin/peregrine'
	@echo 'make recorder    a static program for targets, with the commands that record, build/recorder/bin/peregrine'
	@echo 'make packages    Debian packages and a tarball in build/packages'
	@echo 'also: lint, tsan, fuzz, coverage, bench, test-failures, test-endurance, test-vm (other kernels), test-clean (fresh Debian), clean'

release:
	@tools/packages build
	@$(call build_preset,release)

dev:
	@tools/packages build test
	@$(call build_preset,dev)

demo: release
	@tools/demo/run build/release/bin/peregrine

test:
	@tools/packages build test
	@$(call build_preset,dev)
	@$(call build_preset,release) --target all peregrine_static
	@tools/run_tests $(TESTS)

test-failures:
	@tools/packages build test
	@$(call build_preset,dev)
	@TEST_SECONDS=36000 FAILURE_RUNS=$(or $(FAILURE_RUNS),300) FAILURE_ALLOCATIONS=$(or $(FAILURE_ALLOCATIONS),1000000) tools/run_tests -v failure

# ENDURANCE_MINUTES (60) and ENDURANCE_RATE (10000 threads a second) scale it.
test-endurance: release
	@PEREGRINE=build/release/bin/peregrine ENDURANCE_RESULT=$(or $(ENDURANCE_RESULT),build/endurance.md) tests/endurance/run

lint:
	@tools/packages build test lint
	@tools/lint

tsan:
	@tools/packages build test
	@$(call build_preset,tsan)
	@TSAN_OPTIONS=die_after_fork=0 tools/run_tests --dev build/tsan house unit golden corpus live

fuzz:
	@tools/packages build test
	@$(call build_preset,fuzz)
	@tools/run_fuzzers build/fuzz/bin

coverage:
	@tools/packages build test lint
	@$(call build_preset,coverage)
	@tools/run_coverage build/coverage

bench: release
	@bench/run build/release/bin/peregrine

test-vm: release recorder
	@tests/vm/run build/release/bin/peregrine

test-clean:
	@tools/test_clean

pages: release
	@tools/write_pages build/release/bin/peregrine docs/commands

install: release
	@DESTDIR=$(DESTDIR) $(CMAKE) --install build/release --prefix $(PREFIX)
	@DESTDIR=$(DESTDIR) packaging/installed keep $(if $(PERF_LINK),--perf-link) $(DESTDIR)$(PREFIX) build/release/install_manifest.txt

uninstall:
	@packaging/installed remove $(DESTDIR)$(PREFIX)

static:
	@tools/packages build
	@$(call build_preset,release) --target peregrine_static
	@mkdir -p build/static/bin && strip -o build/static/bin/peregrine build/release/static/peregrine
	@ls -l build/static/bin

recorder:
	@tools/packages build
	@$(call build_preset,recorder) --target peregrine_recorder
	@strip -R .comment -o build/recorder/bin/peregrine build/recorder/bin/peregrine_recorder
	@ls -l build/recorder/bin/peregrine

# FORMS: deb, tar, rpm.
packages: release $(if $(filter rpm,$(FORMS)),static)
	@tools/packages package $(if $(filter rpm,$(FORMS)),rpm)
	@packaging/make_packages build/release build/packages $(FORMS)
	@ls -l build/packages

clean:
	rm -rf build
