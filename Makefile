# SPDX-License-Identifier: Apache-2.0
# The targets for developers, CI and packagers; "make" lists them.

# Builds and tests do not depend on the user's language.
export LC_ALL := C.UTF-8
export LANGUAGE :=
export PYTHONDONTWRITEBYTECODE := 1

# IN=DIRECTORY runs the targets in a Debian of its own in this directory, and leaves this machine unchanged.
ifeq ($(origin IN),command line)
.PHONY: $(or $(MAKECMDGOALS),help)
$(or $(MAKECMDGOALS),help) &:
	@Tests/root.sh "$(IN)" $(or $(MAKECMDGOALS),help)
else

version := $(shell sed -n 's/^\#define KANAL_VERSION_[A-Z]* //p' Include/CVersion/CVersion.h | paste -sd.)

# The places of "make install", and whether it installs for a package: Packaging/install.sh explains each variable.
PREFIX = /usr/local
installer = $(foreach name,PREFIX DESTDIR LIBDIR UNITS_DIR ENGINES_DIR MODULES_DIR P11KIT_MODULES_DIR COMPAT PACKAGE,$(name)='$($(name))') \
    STRIP='$(strip)' RUN='$(run)' Packaging/install.sh

# CROSS=aarch64-linux-gnu builds for another processor with the SDK that Packaging/sdk.sh has made in the directory SDKS.
# Built programs that describe themselves during installation run in qemu.
CROSS =
SDKS =
sdk = $(abspath $(SDKS))/$(CROSS).artifactbundle
# The C compiler of Swift's toolchain.
clang := $(dir $(realpath $(shell command -v swiftc)))clang
ifneq ($(CROSS),)
export SYSROOT := $(sdk)/root
export PKG_CONFIG_SYSROOT_DIR := $(SYSROOT)
export PKG_CONFIG_LIBDIR := $(SYSROOT)/usr/lib/$(CROSS)/pkgconfig
clang += --config=$(sdk)/c.cfg
CC = $(clang)
strip := $(CROSS)-strip
qemu := qemu-$(firstword $(subst -, ,$(CROSS)))
run := $(or $(shell command -v $(qemu)-static),$(qemu)) -L $(SYSROOT)
cross_flags := --swift-sdks-path $(abspath $(SDKS)) --swift-sdk $(CROSS)
endif

library := .build/release/libkanal-pkcs11.so
emulator := .build/release/kanal-emulator
command := .build/release/kanal
products := $(library) $(emulator) $(command)
built := .build/release/built
include Sources/openssl.mk
# The messages in other languages: the catalogues are beside the command, as in an installation.
languages := $(basename $(notdir $(wildcard Translations/*.po)))
catalogues := $(languages:%=.build/release/../share/locale/%/LC_MESSAGES/kanal.mo)
swift_test := swift test --explicit-target-dependency-import-check error
# Builds for packages are reproducible in every folder, and need no network. Parts of the compiler are in Swift, whose
# dictionaries have a random order in each run unless hashing is deterministic.
ifeq ($(PACKAGE),1)
package_flags := --disable-automatic-resolution -Xswiftc -file-prefix-map -Xswiftc $(CURDIR)=. \
    -Xcc -ffile-prefix-map=$(CURDIR)=. -Xlinker --strip-debug
export SWIFT_DETERMINISTIC_HASHING := 1
endif
# The tests of the release build have the same flags, so that they are linked with the installed objects.
swift_build := swift build -c release --disable-local-rpath $(package_flags) $(cross_flags)
sources := $(filter-out Sources/OpenSSLEngine/% Sources/OpenSSLKeys/% Sources/OpenSSLProvider/%,$(shell find Sources Include Package.swift -type f))

# The packages of Debian for a purpose, by Packaging/needed.txt.
needs = $(shell sed -n 's/^$(1): //p' Packaging/needed.txt)
demo_products := kanal kanal-emulator kanal-pkcs11

# Installs the packages of these purposes, unless an outer make has installed them.
define install
	@Packaging/needed.sh install "$(or $(MAKECMDGOALS),$@)" $(foreach purpose,$(1),$(call needs,$(purpose)))
endef

.PHONY: help deps build-deps build check test model mutants constant-time proof fuzz threads soak nightly bench lint docs site demo install uninstall deb rpm clean files missing build-tests test-unbuilt test-swift test-pcscd test-apart test-command test-share test-alone
ifndef BESIDE
.NOTPARALLEL:
endif

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1|\2/p' Makefile | while IFS='|' read -r name text; do \
	    printf '  make %-13s %s\n' "$$name" "$$text"; done

deps: ## install the Debian packages that building, testing and the demonstration need
	$(call install,build check test docs)

build-deps:
	$(if $(PACKAGE),,$(call install,build))

build: $(built) $(engine) $(provider) $(catalogues) ## build the library, OpenSSL's engine and provider, the command and the emulator

# The time is that of a separate file: SwiftPM links products that were touched again with the tests, under running scripts.
$(built): $(sources) $(if $(filter-out $(wildcard $(products)),$(products)),missing) | build-deps
	$(swift_build) --product kanal-pkcs11
	$(swift_build) --product kanal
	$(swift_build) --product kanal-emulator
	@touch $@

$(catalogues): .build/release/../share/locale/%/LC_MESSAGES/kanal.mo: Translations/%.po | $(built)
	@mkdir -p $(@D)
	msgfmt --output-file=$@ $<

check: ## build, lint, and run the tests that need neither root nor other packages than the build and shellcheck: for every change
	@missing=$$(Packaging/needed.sh missing $(call needs,build) $(call needs,check) | paste -sd ' '); \
	[ -z "$$missing" ] || { echo "Install these packages first, as root: apt-get install $$missing" >&2; exit 1; }
	$(MAKE) --no-print-directory lint
	$(swift_test)
	Tests/Lint/translations.py
	Tests/Lint/misuse.sh
	Tests/Lint/interface.sh

test: deps ## build, and run every test
	$(MAKE) --no-print-directory --jobs $(lanes) BESIDE=yes build test-unbuilt
	$(MAKE) --no-print-directory --jobs $(lanes) BESIDE=yes test-swift test-pcscd test-apart test-command test-share test-alone

# Lanes need namespaces.
lanes = $(if $(shell unshare --mount --net true 2>/dev/null || echo none),1,5)
test-unbuilt test-swift test-pcscd test-apart test-command test-share test-alone:
	Tests/lane.sh $(@:test-%=%)

build-tests:
	$(swift_build) --build-tests

model: deps ## check the model of the secure channel's sessions
	Tests/Model/model.sh

constant-time: deps ## prove by valgrind that no branch and no memory index depends on a secret
	bats Tests/System/Safety/constant-time.bats

proof: ## prove curves, ciphers and hash functions correct, on the machine code of this compiler
	$(call install,proof)
	Tests/Proof/proof.sh -j $$(nproc)

mutants: deps ## make faults in the secure channel, and require that a test finds each
	bats Tests/System/Safety/mutants.bats

# The seconds that each fuzz target runs.
SECONDS = 60

fuzz: build-deps ## feed random input to parsers and streams under AddressSanitizer, for SECONDS
	Tests/Fuzz/fuzz.sh $(SECONDS)

threads: deps ## let 16 threads call the library at once under ThreadSanitizer and AddressSanitizer, for SECONDS each
	KANAL_NIGHT=yes seconds=$(SECONDS) bats Tests/System/Safety/threads.bats

# The interruptions of a soak.
ROUNDS = 10000

soak: deps ## interrupt an emulated token and its host ROUNDS times at random
	KANAL_SOAK=$(ROUNDS) swift test --filter CryptokiTests.SoakTests

# The steps to run, by their names in Tests/nightly.txt; all without a name.
STEPS =

nightly: deps ## run the tests that are too long for CI: the tests in debug, proofs, mutants, soak, other projects' suites, adapters, engine and provider at length, disturbed readers, shares for long, messages of 2 GiB, packages, logins and disks in several Debians, the site, and SECONDS of sharing, threads and each fuzz target; STEPS="NAME..." for some of it
	$(call install,nightly proof)
	seconds=$(SECONDS) rounds=$(ROUNDS) Tests/nightly.sh $(STEPS)

bench: deps build ## compare the speed with that of gost-engine, libgcrypt, nettle, SoftHSM2 and OpenSC
	$(call install,bench)
	Benchmarks/all.sh

lint: ## check the format, references and licences, and expressions that the compiler gets wrong
	swift format lint --strict -r Sources Tests Benchmarks Examples Adapters Package.swift
	Tests/Lint/lint.py
	Tests/Lint/circles.py
	shellcheck --severity warning --exclude SC2034,SC2154,SC2164 Tests/System/apart $(shell find Tests/System -name '*.ba*') $(wildcard Packaging/debian/tests/*.bats)

docs: build ## build the documentation: all symbols, without a warning, and the site in .build/site without a broken link
	$(call install,docs)
	docs/symbols.sh
	DESTDIR=$(CURDIR)/.build/docs/root PREFIX=/usr Packaging/install.sh install > /dev/null
	docs/Site/pages.py .build/docs/root/usr/share/man .build/docs/*.interface.doccarchive .build/docs/pages
	@$(MAKE) --no-print-directory site
	Tests/Lint/lint.py references

site: ## make the site again, with the interfaces and manual pages that "make docs" has left
	mkdocs build --strict --config-file docs/Site/mkdocs.yml
	mkdocs build --strict --config-file docs/Site/ru.yml
	docs/Site/check.py .build/site

# An optimised build lasts twice as long: it is used only if "make build" has made it before.
demo: ## demonstrate an emulated token: activate, make a key, sign, verify with OpenSSL; installs little
	$(call install,demo)
ifneq ($(wildcard $(built)),)
	@$(MAKE) --no-print-directory build
	@Tests/System/apart Tests/Scripts/demo.sh
else
	@echo "Building $(demo_products), without optimisation: two minutes or less"
	@for product in $(demo_products); do swift build --product $$product || exit 1; done
	@KANAL_CONFIGURATION=debug Tests/System/apart Tests/Scripts/demo.sh
endif

# Packaging/files.txt lists the files, with their packages.
install: build ## install under PREFIX; COMPAT=1 also as librtpkcs11ecp.so
	@$(installer) install

uninstall: ## remove the installed files; needs the same PREFIX and DESTDIR
	@$(installer) uninstall

files: ## list the installed files, each with its package; needs the same PREFIX and DESTDIR
	@$(installer) list

deb: ## make packages for Debian, in .build/packages, from a clean copy of the tree; needs no network
	$(call install,build package)
	Packaging/packages.sh deb

rpm: ## make the same packages for systems with RPM
	$(call install,build package)
	Packaging/packages.sh rpm

clean: ## remove the results of builds
	rm -rf .build

endif
