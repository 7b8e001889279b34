# SPDX-License-Identifier: Apache-2.0
# Everything that is done from the command line. "make" lists the targets.

# Builds and tests do not depend on the user's language.
export LC_ALL := C.UTF-8
export LANGUAGE :=

# IN=DIRECTORY: everything happens in a Debian of its own that is there, and this machine stays as it is.
ifeq ($(origin IN),command line)
.PHONY: $(or $(MAKECMDGOALS),help)
$(or $(MAKECMDGOALS),help) &:
	@Tests/root.sh "$(IN)" $(or $(MAKECMDGOALS),help)
else

version := $(shell sed -n 's/^\#define KANAL_VERSION_[A-Z]* //p' Include/CVersion/CVersion.h | paste -sd.)

# Where "make install" puts things, and whether it does so for a package: Packaging/install.sh says what each is for.
PREFIX = /usr/local
installer = $(foreach name,PREFIX DESTDIR LIBDIR UNITS_DIR ENGINES_DIR MODULES_DIR P11KIT_MODULES_DIR COMPAT PACKAGE,$(name)='$($(name))') \
    STRIP='$(strip)' RUN='$(run)' Packaging/install.sh

# CROSS=aarch64-linux-gnu builds for another processor, by what Packaging/sdk.sh has made in the directory SDKS. What is built
# and has to tell of itself runs by qemu.
CROSS =
SDKS =
sdk = $(abspath $(SDKS))/$(CROSS).artifactbundle
# The compiler of C that belongs to Swift's.
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
# The messages in other languages. The catalogues have the place beside the command that they have when installed.
languages := $(basename $(notdir $(wildcard Translations/*.po)))
catalogues := $(languages:%=.build/release/../share/locale/%/LC_MESSAGES/kanal.mo)
swift_test := swift test --explicit-target-dependency-import-check error
# What is built for packages is the same in every folder, and takes nothing from the network. The compiler has parts in
# Swift, whose dictionaries have another order in each run if they are not told to have the same one.
ifeq ($(PACKAGE),1)
package_flags := --disable-automatic-resolution -Xswiftc -file-prefix-map -Xswiftc $(CURDIR)=. \
    -Xcc -ffile-prefix-map=$(CURDIR)=. -Xlinker --strip-debug
export SWIFT_DETERMINISTIC_HASHING := 1
endif
# With these flags alone, so that the tests of the release build are linked with the objects that are installed.
swift_build := swift build -c release --disable-local-rpath $(package_flags) $(cross_flags)
sources := $(filter-out Sources/OpenSSLEngine/% Sources/OpenSSLKeys/% Sources/OpenSSLProvider/%,$(shell find Sources Include Package.swift -type f))

# The packages of Debian for a purpose, by Packaging/needed.txt.
needs = $(shell sed -n 's/^$(1): //p' Packaging/needed.txt)
demo_products := kanal kanal-emulator kanal-pkcs11

# Installs the packages of these purposes, unless a make that runs this one has done so.
define install
	@Packaging/needed.sh install "$(or $(MAKECMDGOALS),$@)" $(foreach purpose,$(1),$(call needs,$(purpose)))
endef

.PHONY: help deps build-deps build check test model mutants constant-time proof fuzz threads soak nightly bench lint docs demo install uninstall deb rpm clean files missing build-tests test-unbuilt test-swift test-pcscd test-apart test-share test-alone
ifndef BESIDE
.NOTPARALLEL:
endif

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1|\2/p' Makefile | while IFS='|' read -r name text; do \
	    printf '  make %-13s %s\n' "$$name" "$$text"; done

deps: ## install the Debian packages that building, testing and the demonstration need
	$(call install,build test docs)

build-deps:
	$(if $(PACKAGE),,$(call install,build))

build: $(built) $(engine) $(provider) $(catalogues) ## build the library, OpenSSL's engine and provider, the command and the emulator

# The time is that of a file of its own: what is touched itself, SwiftPM links again with the tests, under running scripts.
$(built): $(sources) $(if $(filter-out $(wildcard $(products)),$(products)),missing) | build-deps
	$(swift_build) --product kanal-pkcs11
	$(swift_build) --product kanal
	$(swift_build) --product kanal-emulator
	@touch $@

$(catalogues): .build/release/../share/locale/%/LC_MESSAGES/kanal.mo: Translations/%.po | $(built)
	@mkdir -p $(@D)
	msgfmt --output-file=$@ $<

check: ## build, lint, and run the tests that need neither root nor other packages than the build: for every change
	@missing=$$(Packaging/needed.sh missing $(call needs,build) | paste -sd ' '); \
	[ -z "$$missing" ] || { echo "Install these packages first, as root: apt-get install $$missing" >&2; exit 1; }
	$(MAKE) --no-print-directory lint
	$(swift_test)
	Tests/Lint/misuse.sh
	Tests/Lint/interface.sh

test: deps ## build, and run every test
	$(MAKE) --no-print-directory --jobs $(lanes) BESIDE=yes build test-unbuilt
	$(MAKE) --no-print-directory --jobs $(lanes) BESIDE=yes test-swift test-pcscd test-apart test-share test-alone

# Without namespaces there are no lanes.
lanes = $(if $(shell unshare --mount --net true 2>/dev/null || echo none),1,4)
test-unbuilt test-swift test-pcscd test-apart test-share test-alone:
	Tests/lane.sh $(@:test-%=%)

build-tests:
	$(swift_build) --build-tests

model: deps ## check the model of the secure channel's sessions
	Tests/Model/model.sh

constant-time: deps ## prove by valgrind that nothing secret decides a branch or a memory index
	Tests/Scripts/Safety/constant-time.sh

proof: ## prove that curves, ciphers and hash functions compute what they say, on the machine code of this compiler
	$(call install,proof)
	Tests/Proof/proof.sh -j $$(nproc)

mutants: deps ## break the secure channel in places, and require that a test notices each
	Tests/Scripts/Safety/mutants.sh

# How long each fuzz target runs.
SECONDS = 60

fuzz: build-deps ## feed random input to parsers and streams under AddressSanitizer; takes SECONDS
	Tests/Fuzz/fuzz.sh $(SECONDS)

threads: build-deps ## let 16 threads call the library at once under ThreadSanitizer and AddressSanitizer; takes SECONDS each
	Tests/Scripts/Safety/threads.sh $(SECONDS)

# How many interruptions a soak has.
ROUNDS = 10000

soak: deps ## interrupt an emulated token and its host ROUNDS times at random
	KANAL_SOAK=$(ROUNDS) swift test --filter CryptokiTests.SoakTests

# The steps that are run, by their names in Tests/nightly.txt; all if none is named.
STEPS =

nightly: deps ## what CI has no time for: the tests in debug, mutants, soak, other projects' suites, adapters, the engine under valgrind and load, shares for long, messages of 2 GiB, packages, and SECONDS of sharing, threads and each fuzz target; STEPS="NAME..." for some of it
	$(call install,nightly proof)
	seconds=$(SECONDS) rounds=$(ROUNDS) Tests/nightly.sh $(STEPS)

bench: deps build ## compare the speed with that of gost-engine, libgcrypt, nettle, SoftHSM2 and OpenSC
	$(call install,bench)
	Benchmarks/all.sh

lint: ## check the format, references, licences and translations, and expressions that the compiler gets wrong
	swift format lint --strict -r Sources Tests Benchmarks Examples Adapters Package.swift
	Tests/Lint/borrowing.pl
	Tests/Lint/references.pl
	Tests/Lint/names.pl
	Tests/Lint/licence.pl
	Tests/Lint/translations.pl
	Tests/Lint/versions.pl
	Tests/Lint/walk.pl

docs: build ## build the documentation: all symbols, without a warning, and the site in .build/site, without a broken link
	$(call install,docs)
	docs/symbols.sh
	DESTDIR=$(CURDIR)/.build/docs/root PREFIX=/usr Packaging/install.sh install > /dev/null
	docs/Site/site.py .build/docs/root/usr/share/man .build/docs/*.interface.doccarchive .build/site
	Tests/Lint/references.pl

# An optimised build takes twice as long: it serves here only if "make build" has made it before.
demo: ## show the main job on an emulated token: activate, make a key, sign, verify with OpenSSL; installs little
	$(call install,demo)
ifneq ($(wildcard $(built)),)
	@$(MAKE) --no-print-directory build
	@Tests/Scripts/apart.sh Tests/Scripts/demo.sh
else
	@echo "Building $(demo_products), without optimisation: two minutes or less"
	@for product in $(demo_products); do swift build --product $$product || exit 1; done
	@KANAL_CONFIGURATION=debug Tests/Scripts/apart.sh Tests/Scripts/demo.sh
endif

# Packaging/files.txt names the files, with their packages.
install: build ## install under PREFIX; COMPAT=1 also as librtpkcs11ecp.so
	@$(installer) install

uninstall: ## remove what "make install" has installed; takes the same PREFIX and DESTDIR
	@$(installer) uninstall

files: ## list what "make install" has installed, each file with its package; takes the same PREFIX and DESTDIR
	@$(installer) list

deb: ## make packages for Debian, in .build/packages, from a clean copy of the tree; needs no network
	$(call install,build package)
	Packaging/packages.sh deb

rpm: ## make the same packages for systems with RPM
	$(call install,build package)
	Packaging/packages.sh rpm

clean: ## remove what the build has made
	rm -rf .build

endif
