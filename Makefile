# SPDX-License-Identifier: Apache-2.0
# Everything that is done from the command line. "make" lists the targets.

# What is made and tested is the same in every language.
export LC_ALL := C.UTF-8
export LANGUAGE :=

# IN=DIRECTORY: everything happens in a Debian of its own that is there, and this machine stays as it is.
ifeq ($(origin IN),command line)
.PHONY: $(or $(MAKECMDGOALS),help)
$(or $(MAKECMDGOALS),help) &:
	@Tests/root.sh "$(IN)" $(or $(MAKECMDGOALS),help)
else

version := $(shell sed -n 's/^\#define KANAL_VERSION_[A-Z]* //p' Include/CVersion/CVersion.h | paste -sd.)

# Where "make install" puts things, and whether it does so for a package: Install/install.sh says what each is for.
PREFIX = /usr/local
installer = $(foreach name,PREFIX DESTDIR LIBDIR UNITS_DIR ENGINES_DIR MODULES_DIR P11KIT_MODULES_DIR COMPAT PACKAGE,$(name)='$($(name))') \
    STRIP='$(strip)' RUN='$(run)' Install/install.sh

# CROSS=aarch64-linux-gnu builds for another processor, by what Install/sdk.sh has made in the directory SDKS. What is built
# and has to tell of itself runs by qemu.
CROSS =
SDKS =
sdk = $(abspath $(SDKS))/$(CROSS).artifactbundle
ifneq ($(CROSS),)
export PKG_CONFIG_SYSROOT_DIR := $(sdk)/root
export PKG_CONFIG_LIBDIR := $(sdk)/root/usr/lib/$(CROSS)/pkgconfig
endif
# By these, which older versions of make do not give to what they call for a variable.
pkg_config = PKG_CONFIG_SYSROOT_DIR=$(PKG_CONFIG_SYSROOT_DIR) $(if $(CROSS),PKG_CONFIG_LIBDIR=$(PKG_CONFIG_LIBDIR)) pkg-config

library := .build/release/libkanal-pkcs11.so
emulator := .build/release/kanal-emulator
command := .build/release/kanal
products := $(library) $(emulator) $(command)
built := .build/release/built
# OpenSSL's engine: C alone, and built without SwiftPM, which can neither call the file so nor leave the package's other
# products alone. It finds the library where its own directory lies, or where the loader looks.
engine := .build/release/engines-3/kanal.so
# Keys and tokens, which the provider has, too, and the numbers of GOST curves.
openssl_keys := $(wildcard Sources/OpenSSLKeys/*.c Sources/GOSTKernels/Parameters/*.c)
engine_sources := $(wildcard Sources/OpenSSLEngine/*.c) $(openssl_keys)
engine_packages := libcrypto p11-kit-1
# Marks where an indirect call or jump may go, for the processor that $(CC) compiles for.
engine_machine = $(firstword $(subst -, ,$(shell $(CC) -dumpmachine)))
engine_marks = $(if $(filter x86_64,$(engine_machine)),-fcf-protection=full,$(if $(filter aarch64,$(engine_machine)),-mbranch-protection=standard))
# The compiler of C that belongs to Swift's.
clang := $(dir $(realpath $(shell command -v swiftc)))clang
ifneq ($(CROSS),)
clang += --config=$(sdk)/c.cfg
CC = $(clang)
strip := $(CROSS)-strip
emulator_of := qemu-$(firstword $(subst -, ,$(CROSS)))
run := $(or $(shell command -v $(emulator_of)-static),$(emulator_of)) -L $(sdk)/root
export SYSROOT := $(sdk)/root
cross_flags := --swift-sdks-path $(abspath $(SDKS)) --swift-sdk $(CROSS)
else
provider_linker := -fuse-ld=bfd
endif
# Flags of all C that is built so.
c_flags = -ISources/OpenSSLKeys -ISources/GOSTKernels/include -std=gnu11 -O2 -g -fPIC -fvisibility=hidden \
    -DOPENSSL_API_COMPAT=10101 -Wall -Wextra -Wshadow -Werror -fstack-protector-strong -fstack-clash-protection \
    -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 $(engine_marks) -ffile-prefix-map=$(CURDIR)=.
engine_linking = -shared -Wl,--version-script=Sources/OpenSSLEngine/exports.map,-z,defs,-z,now,-z,relro,-z,nodelete \
    -Wl,-z,noexecstack,--as-needed
# OpenSSL's provider: C alone, too, with the kernels, which Swift's clang compiles. It links no libcrypto: it has that which
# has loaded it, of any version.
provider := .build/release/ossl-modules/kanal.so
provider_sources := $(wildcard Sources/OpenSSLProvider/*.c Sources/OpenSSLKeys/*.c) $(shell find Sources/GOSTKernels -name '*.c')
provider_flags = -ISources/OpenSSLProvider -DKANAL_VERSION='"$(version)"' $(c_flags)
provider_linking = -shared $(provider_linker) -Wl,--version-script=Sources/OpenSSLProvider/exports.map,-z,defs,-z,now,-z,relro,-z,nodelete \
    -Wl,-z,noexecstack,--as-needed
# What people are told in other languages. The catalogues lie to the command as they do where they are installed.
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

sudo := $(if $(filter 0,$(shell id -u)),,sudo)
build_packages := gcc g++ libc6-dev binutils pkg-config git gettext libpcsclite-dev libssl-dev libp11-kit-dev
test_packages = pcscd vsmartcard-vpcd opensc p11-kit openssl libengine-gost-openssl python3-venv python3-pykcs11 valgrind spin mandoc \
    gnutls-bin libengine-pkcs11-openssl libnss3-tools openjdk-17-jdk-headless openssh-client openssh-server openvpn \
    libcap2-bin strace gnupg-pkcs11-scd gpgsm gpg-agent strongswan-pki libstrongswan-extra-plugins \
    nginx-light apache2-bin stunnel4 curl hostapd eapoltest tmux zsh fish python3-jsonschema \
    libjemalloc2 libtcmalloc-minimal4 libmimalloc2.0 iproute2 pinentry-curses pinentry-tty pinentry-gtk2 xvfb xdotool x11-utils \
    xdg-utils desktop-file-utils softhsm2 gcc-aarch64-linux-gnu qemu-user-static $(docs_packages)
# What makes the site of the documentation.
docs_packages := cmark-gfm python3
# For "make deb", "make rpm" and the scripts that try their packages.
package_packages := debhelper devscripts lintian rpm debootstrap diffoscope-minimal perl
bench_packages := libengine-gost-openssl libgcrypt20-dev nettle-dev softhsm2
# The needs of the demonstration: an unoptimised build takes neither a C++ compiler nor catalogues.
demo_packages := $(filter-out g++ gettext,$(build_packages)) pcscd vsmartcard-vpcd opensc openssl libengine-gost-openssl
demo_products := kanal kanal-emulator kanal-pkcs11

# The command that is run was given to make by the user, or by a make that has installed all.
define install_packages
	@Install/needed.sh install "$(or $(MAKECMDGOALS),$@)" $(1)
endef

.PHONY: help deps build-deps build check test model mutants constant-time fuzz threads soak nightly bench lint docs demo install uninstall deb rpm clean files missing build-tests test-unbuilt test-swift test-pcscd test-apart test-alone
ifndef BESIDE
.NOTPARALLEL:
endif

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1|\2/p' Makefile | while IFS='|' read -r name text; do \
	    printf '  make %-13s %s\n' "$$name" "$$text"; done

deps: ## install the Debian packages that building, testing and the demonstration need
	$(call install_packages,$(build_packages) $(test_packages))

build-deps:
	$(if $(PACKAGE),,$(call install_packages,$(build_packages)))

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

$(engine): $(wildcard Sources/OpenSSLEngine/* Sources/OpenSSLKeys/*) $(openssl_keys) | build-deps
	@mkdir -p $(@D)
	$(CC) $(c_flags) $(engine_sources) $(engine_linking) $(shell $(pkg_config) --cflags --libs $(engine_packages)) -o $@

provider_objects := $(provider_sources:Sources/%.c=.build/release/provider.build/%.o)
$(provider_objects): .build/release/provider.build/%.o: Sources/%.c $(shell find Sources/GOSTKernels Sources/OpenSSLKeys Sources/OpenSSLProvider -name '*.h' -o -name '*.inc') | build-deps
	@mkdir -p $(@D)
	$(clang) $(provider_flags) $(shell $(pkg_config) --cflags $(engine_packages)) -c $< -o $@

$(provider): $(provider_objects) Sources/OpenSSLProvider/exports.map
	@mkdir -p $(@D)
	$(clang) $(provider_objects) $(provider_linking) $(shell $(pkg_config) --libs p11-kit-1) -o $@

check: ## build, lint, and run the tests that need neither root nor other packages than the build: for every change
	@missing=$$(Install/needed.sh missing $(build_packages) | paste -sd ' '); \
	[ -z "$$missing" ] || { echo "Install these packages first, as root: apt-get install $$missing" >&2; exit 1; }
	$(MAKE) --no-print-directory lint
	$(swift_test)
	Tests/Lint/misuse.sh
	Tests/Lint/interface.sh

test: deps ## build, and run every test
	$(MAKE) --no-print-directory --jobs $(lanes) BESIDE=yes build test-unbuilt
	$(MAKE) --no-print-directory --jobs $(lanes) BESIDE=yes test-swift test-pcscd test-apart test-alone

# Without namespaces there are no lanes.
lanes = $(if $(shell unshare --mount --net true 2>/dev/null || echo none),1,3)
test-unbuilt test-swift test-pcscd test-apart test-alone:
	Tests/lane.sh $(@:test-%=%)

build-tests:
	$(swift_build) --build-tests

model: deps ## check the model of the secure channel's sessions
	Tests/Model/model.sh

constant-time: deps ## prove by valgrind that nothing secret decides a branch or a memory index
	Tests/Scripts/Safety/constant-time.sh

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

nightly: deps ## what CI has no time for: mutants, soak, other projects' suites, adapters, the engine under valgrind and load, shares for long, messages of 2 GiB, packages, and SECONDS of sharing, threads and each fuzz target; STEPS="NAME..." for some of it
	$(call install_packages,chromium)
	seconds=$(SECONDS) rounds=$(ROUNDS) Tests/nightly.sh $(STEPS)

bench: deps build ## compare the speed with that of gost-engine, libgcrypt, nettle, SoftHSM2 and OpenSC
	$(call install_packages,$(bench_packages))
	KANAL_BENCHMARKS=1 swift build -c release --product benchmark
	.build/release/benchmark | tee .build/benchmark.md
	KANAL_BENCHMARKS=1 swift build -c release --product channel-benchmark
	.build/release/channel-benchmark | tee .build/channel-benchmark.md
	KANAL_BENCHMARKS=1 swift build -c release --product kit-benchmark
	Benchmarks/kit.sh | tee .build/kit-benchmark.md
	Benchmarks/module.sh | tee .build/module-benchmark.md
	Benchmarks/engine.sh | tee .build/engine-benchmark.md
	Benchmarks/round-trips.sh | tee .build/round-trips.md
	Benchmarks/share.sh | tee .build/share-benchmark.md

lint: ## check the format, references, licences and translations, and expressions that the compiler gets wrong
	swift format lint --strict -r Sources Tests Benchmarks Examples Adapters Package.swift
	Tests/Lint/borrowing.pl
	Tests/Lint/references.pl
	Tests/Lint/licence.pl
	Tests/Lint/translations.pl
	Tests/Lint/versions.pl

docs: build-deps ## build the documentation: all symbols, without a warning, and the site in .build/site, without a broken link
	$(call install_packages,$(docs_packages))
	docs/symbols.sh
	docs/Site/site.py .build/docs/Interface.doccarchive .build/site
	Tests/Lint/references.pl

# An optimised build takes twice as long: it serves here only if "make build" has made it before.
demo: ## show the main job on an emulated token: activate, make a key, sign, verify with OpenSSL; installs little
	$(call install_packages,$(demo_packages))
ifneq ($(wildcard $(built)),)
	@$(MAKE) --no-print-directory build
	@Tests/Scripts/apart.sh Tests/Scripts/demo.sh
else
	@echo "Building $(demo_products), without optimisation: two minutes or less"
	@for product in $(demo_products); do swift build --product $$product || exit 1; done
	@KANAL_CONFIGURATION=debug Tests/Scripts/apart.sh Tests/Scripts/demo.sh
endif

# Install/files names the files, with their packages.
install: build ## install under PREFIX; COMPAT=1 also as librtpkcs11ecp.so
	@$(installer) install

uninstall: ## remove what "make install" has installed; takes the same PREFIX and DESTDIR
	@$(installer) uninstall

files: ## list what "make install" has installed, each file with its package; takes the same PREFIX and DESTDIR
	@$(installer) list

deb: ## make packages for Debian, in .build/packages, from a clean copy of the tree; needs no network
	$(call install_packages,$(build_packages) $(package_packages))
	Install/packages.sh deb

rpm: ## make the same packages for systems with RPM
	$(call install_packages,$(build_packages) $(package_packages))
	Install/packages.sh rpm

clean: ## remove what the build has made
	rm -rf .build

endif
