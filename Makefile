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

# Where "make install" puts things. DESTDIR is a staging directory: it is no part of any path that is written down.
PREFIX = /usr/local
DESTDIR =
# COMPAT=1 also installs the library under the name of the vendor's.
COMPAT =
# PACKAGE=1 is for those who make packages, and have installed what a build needs: the administrator's file lies in /etc
# too, and each program with its own runtime has an inventory of what it is linked with, and the licences of that.
PACKAGE =
# Where the library lies, if the system has another place for libraries than PREFIX/lib, and where units of systemd do.
LIBDIR = $(PREFIX)/lib
UNITS_DIR = $(PREFIX)/lib/systemd/system

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

override PREFIX := $(abspath $(PREFIX))
system_prefix := $(filter /usr /usr/local,$(PREFIX))
# Not empty if files go into the running system, and not into a directory for a package.
is_live := $(and $(system_prefix),$(if $(DESTDIR),,live))
lib := $(abspath $(LIBDIR))
units = $(DESTDIR)$(UNITS_DIR)
accounts = $(DESTDIR)$(PREFIX)/lib/sysusers.d
run_path := $(if $(system_prefix),, -Wl,-rpath,$${libdir})
share = $(DESTDIR)$(PREFIX)/share
man = $(share)/man
notices = $(share)/doc/kanal
# A directory that a package names, as it is on the system that is built for.
place = $(patsubst $(PKG_CONFIG_SYSROOT_DIR)%,%,$(shell $(pkg_config) $(1) --variable=$(2) 2>/dev/null))
# Where OpenSSL looks for engines, if that is allowed.
system_engines = $(call place,libcrypto,enginesdir)
ENGINES_DIR = $(or $(if $(system_prefix),$(system_engines)),$(lib)/engines-3)
# Where it looks for providers.
system_modules = $(call place,libcrypto,modulesdir)
MODULES_DIR = $(or $(if $(system_prefix),$(system_modules)),$(lib)/ossl-modules)
# What makes shells complete the command's words, where each looks for it.
completions = $(addprefix $(share)/,bash-completion/completions/kanal zsh/site-functions/_kanal fish/vendor_completions.d/kanal.fish)
# What templates leave open.
fill = sed 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(lib)|; s|@LIB@|$(patsubst $(PREFIX)/%,%,$(lib))|; s|@VERSION@|$(version)|; s|@RPATH@|$(run_path)|'

# The module file lies under PREFIX with everything else, and in the one directory that p11-kit reads, if that is
# allowed.
p11_kit = $(call place,p11-kit-1,p11_module_configs)
p11_kit_modules = $(or $(p11_kit),/usr/share/p11-kit/modules)
may_register = $(or $(system_prefix),$(DESTDIR),$(filter 0,$(shell id -u)))
P11KIT_MODULES_DIR = $(if $(may_register),$(p11_kit_modules))
module_dirs = $(addprefix $(DESTDIR),$(sort $(PREFIX)/share/p11-kit/modules $(P11KIT_MODULES_DIR)))

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
strip := --strip --strip-program=$(CROSS)-strip
emulator_of := qemu-$(firstword $(subst -, ,$(CROSS)))
run := $(or $(shell command -v $(emulator_of)-static),$(emulator_of)) -L $(sdk)/root
export SYSROOT := $(sdk)/root
cross_flags := --swift-sdks-path $(abspath $(SDKS)) --swift-sdk $(CROSS)
else
strip := --strip
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
# The command in one of these languages.
in_language = LANGUAGE=$(1) $(run) $(command)
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

.PHONY: help deps build-deps build check test model mutants constant-time fuzz threads soak nightly bench lint docs demo install uninstall deb rpm clean missing test-unbuilt test-swift test-pcscd test-apart test-alone
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
	$(MAKE) --no-print-directory --jobs $(lanes) --output-sync=line BESIDE=yes build test-unbuilt
	$(MAKE) --no-print-directory --jobs $(lanes) --output-sync=line BESIDE=yes test-swift test-pcscd test-apart test-alone

# Scripts mostly wait, so that they run beside what the compiler is needed for: those that need nothing that is built,
# those that use the machine's pcscd, those that have one of their own, and those without, if namespaces can be made. What a
# script prints appears when it ends.
lanes = $(if $(shell unshare --mount --net true 2>/dev/null || echo none),1,3)
test-unbuilt: lint
	Tests/Lint/nightly.sh
	Tests/Model/model.sh
	Tests/Scripts/Safety/curves.sh
	Tests/Scripts/Safety/kernels.sh

test-swift:
	$(swift_test)
	Tests/Lint/misuse.sh
	Tests/Lint/interface.sh
	$(swift_build) --build-tests
	swift test -c release --disable-local-rpath --disable-testable-imports --skip-build
	Tests/Scripts/apart.sh Tests/Scripts/contract.sh
	Tests/Scripts/Share/share-attack.sh
	$(MAKE) --no-print-directory docs
	Tests/Lint/adapters.sh

test-pcscd:
	Tests/Scripts/end-to-end.sh
	Tests/Scripts/opensc.sh
	Tests/Scripts/Safety/hardening.sh
	Tests/Scripts/readers.sh
	Tests/Scripts/contexts.sh
	Tests/Scripts/objects.sh
	Tests/Scripts/clients.sh usb bt
	Tests/Scripts/recipes.sh
	Tests/Scripts/absence.sh
	Tests/Scripts/sharing.sh 10
	Tests/Scripts/Safety/memory.sh
	Tests/Scripts/Safety/hosts.sh
	Tests/Scripts/daemons.sh
	Tests/Scripts/Safety/allocators.sh

test-apart:
	Tests/Scripts/apart.sh Tests/Scripts/on-demand.sh
	Tests/Scripts/apart.sh Tests/Scripts/Safety/libcrypto.sh
	Tests/Scripts/apart.sh Tests/Scripts/Command/command.sh
	Tests/Scripts/apart.sh Tests/Scripts/Command/command-signatures.sh
	Tests/Scripts/Command/files.sh
	Tests/Scripts/apart.sh Tests/Scripts/Command/language.sh
	Tests/Scripts/apart.sh Tests/Scripts/Command/screens.sh
	Tests/Scripts/apart.sh Tests/Scripts/picture.sh
	Tests/Scripts/apart.sh Tests/Scripts/Asking/asking.sh
	Tests/Scripts/apart.sh Tests/Scripts/Asking/asking-outcomes.sh
	Tests/Scripts/apart.sh Tests/Scripts/Asking/esia.sh
	Tests/Scripts/apart.sh Tests/Scripts/Engine/engine.sh usb bt
	Tests/Scripts/apart.sh Tests/Scripts/Engine/engine-use.sh usb bt
	Tests/Scripts/apart.sh Tests/Scripts/Engine/engine-pins.sh
	Tests/Scripts/apart.sh Tests/Scripts/Engine/engine-modules.sh
	Tests/Scripts/apart.sh Tests/Scripts/Engine/engine-lies.sh
	Tests/Scripts/apart.sh Tests/Scripts/Engine/engine-servers.sh usb bt
	Tests/Scripts/apart.sh Tests/Scripts/Provider/provider.sh usb bt
	Tests/Scripts/apart.sh Tests/Scripts/Provider/provider-keys.sh
	Tests/Scripts/apart.sh Tests/Scripts/Provider/provider-use.sh
	Tests/Scripts/Command/doctor.sh
	Tests/Scripts/Command/doctor-files.sh
	Tests/Scripts/Share/share.sh
	Tests/Scripts/Share/share-faults.sh
	Tests/Scripts/Share/share-policy.sh
	Tests/Scripts/Share/share-hosts.sh 3
	Tests/Scripts/Share/share-records.sh
	Tests/Scripts/Share/share-programs.sh

# Those that build in .build/release come last, when "test-swift" has done so.
test-alone:
	Tests/Scripts/install.sh
	Tests/Scripts/Asking/authorization.sh
	Tests/Scripts/Safety/threads.sh 10 thread
	Tests/Scripts/apart.sh Tests/Scripts/KanalKit/examples.sh
	Tests/Fuzz/fuzz.sh 3
	Tests/Scripts/Safety/constant-time.sh
	Tests/Scripts/Safety/traces.sh
	Tests/Scripts/Asking/authenticators.sh

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

# A link that we have made, or nothing: another file of this name belongs to somebody else.
compat := $(DESTDIR)$(lib)/librtpkcs11ecp.so
is_ours = [ "$$(readlink $(compat))" = libkanal-pkcs11.so ]

# The catalogue and the man pages of a language.
define install_language
	install -D -m 644 -t $(share)/locale/$(1)/LC_MESSAGES .build/release/../share/locale/$(1)/LC_MESSAGES/kanal.mo
	install -d $(man)/$(1)/man1 $(man)/$(1)/man5
	umask 022; $(call in_language,$(1)) --experimental-dump-help | Install/manual.pl $(version) $(man)/$(1)/man1 $(1)
	umask 022; $(fill) Install/$(1)/kanal.conf.5.in > $(man)/$(1)/man5/kanal.conf.5

endef

# The units, the accounts that they run under, and the products that have an inventory, each with its place.
unit_files := kanal-share@.service kanal-emulator.service
account_files := $(addprefix Install/Services/,kanal.conf kanal-emulator.conf)
notice_products := $(library) $(command) $(emulator)
installed = $(if $(filter %.so,$(1)),$(lib),$(PREFIX)/bin)/$(notdir $(1))

install: build ## install under PREFIX; COMPAT=1 also as librtpkcs11ecp.so
ifeq ($(COMPAT),1)
	@[ ! -e $(compat) ] || $(is_ours) || { echo "$(compat) exists and is not Kanal's" >&2; exit 1; }
endif
	install -D $(strip) $(library) $(DESTDIR)$(lib)/libkanal-pkcs11.so
	install -D $(strip) $(engine) $(DESTDIR)$(ENGINES_DIR)/kanal.so
	install -D $(strip) $(provider) $(DESTDIR)$(MODULES_DIR)/kanal.so
	install -D $(strip) -t $(DESTDIR)$(PREFIX)/bin $(command) $(emulator)
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/include/kanal Include/CCryptoki/rtpkcs11.h Include/CCryptoki/kanal.h
	install -D -m 644 -t $(share)/doc/kanal Install/kanal.conf docs/kanal.schema.json Install/Services/50-kanal-services.rules
	umask 022; $(foreach file,kanal-openssl.cnf kanal-provider.cnf,sed 's|/usr/local/lib|$(lib)|' Install/$(file) > $(share)/doc/kanal/$(file);)
	install -d $(DESTDIR)$(lib)/pkgconfig $(man)/man1 $(man)/man5 $(module_dirs) $(units) $(accounts)
	umask 022; $(run) $(command) --experimental-dump-help | Install/manual.pl $(version) $(man)/man1
	install -d $(dir $(completions))
	umask 022; $(foreach shell,bash zsh fish,$(run) $(command) completion $(shell) | sed '1{/^\#!/d}' > $(filter $(share)/$(shell)%,$(completions));)
	umask 022; $(fill) Install/kanal-emulator.1.in > $(man)/man1/kanal-emulator.1
	umask 022; $(fill) Install/kanal.conf.5.in > $(man)/man5/kanal.conf.5
	$(foreach language,$(languages),$(call install_language,$(language)))
	umask 022; $(fill) Install/kanal-pkcs11.pc.in > $(DESTDIR)$(lib)/pkgconfig/kanal-pkcs11.pc
	umask 022; $(foreach unit,$(unit_files),$(fill) Install/Services/$(unit).in > $(units)/$(unit);)
	install -m 644 -t $(accounts) $(account_files)
	umask 022; sed 's|/usr/local/lib|$(lib)|' p11-kit/kanal.module | tee $(addsuffix /kanal.module,$(module_dirs)) > /dev/null
ifeq ($(COMPAT),1)
	ln -sf libkanal-pkcs11.so $(compat)
endif
ifeq ($(PACKAGE),1)
	install -D -m 644 -t $(DESTDIR)/etc/kanal Install/kanal.conf
	umask 022; $(foreach product,$(notice_products),Install/inventory.pl $(version) $(product) \
	    $(DESTDIR)$(call installed,$(product)) $(notices) &&) true
endif
	$(if $(is_live),ldconfig)

# The directories that are removed if they are empty: only our own where others expect theirs to be.
directories := include/kanal share/doc/kanal
relative_lib := $(patsubst $(PREFIX)/%,%,$(lib))
ifeq ($(is_live),)
directories += $(patsubst $(DESTDIR)$(PREFIX)/%,%,$(filter $(DESTDIR)$(PREFIX)/%,$(DESTDIR)$(ENGINES_DIR) $(DESTDIR)$(MODULES_DIR))) $(patsubst $(DESTDIR)$(PREFIX)/%/,%,$(dir $(completions))) bin $(relative_lib)/pkgconfig share/man/man1 share/man/man5 share/p11-kit/modules \
    lib/sysusers.d lib/systemd/system
directories += $(foreach language,$(languages),share/man/$(language)/man1 share/man/$(language)/man5 share/locale/$(language)/LC_MESSAGES)
endif

uninstall: ## remove what "make install" has installed; takes the same PREFIX and DESTDIR
	if $(is_ours); then rm $(compat); fi
	rm -f $(DESTDIR)$(lib)/libkanal-pkcs11.so $(addprefix $(DESTDIR)$(PREFIX)/bin/,kanal kanal-emulator)
	rm -f $(DESTDIR)$(ENGINES_DIR)/kanal.so $(DESTDIR)$(MODULES_DIR)/kanal.so
	rm -f $(completions) $(addprefix $(DESTDIR)$(PREFIX)/share/doc/kanal/,kanal.schema.json kanal-openssl.cnf kanal-provider.cnf 50-kanal-services.rules)
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/include/kanal/,rtpkcs11.h kanal.h) $(DESTDIR)$(lib)/pkgconfig/kanal-pkcs11.pc
	rm -f $(addsuffix /kanal.module,$(module_dirs)) $(DESTDIR)$(PREFIX)/share/doc/kanal/kanal.conf
	rm -f $(foreach place,$(man) $(languages:%=$(man)/%),$(place)/man1/kanal.1 $(place)/man1/kanal-*.1 $(place)/man5/kanal.conf.5)
	rm -f $(languages:%=$(share)/locale/%/LC_MESSAGES/kanal.mo)
	rm -f $(addprefix $(units)/,$(unit_files)) $(addprefix $(accounts)/,$(notdir $(account_files)))
	cd $(DESTDIR)$(PREFIX) && rmdir $(if $(is_live),,-p) $(directories) 2>/dev/null || true
	$(if $(is_live),ldconfig)

deb: ## make packages for Debian, in .build/packages, from a clean copy of the tree; needs no network
	$(call install_packages,$(build_packages) $(package_packages))
	Install/packages.sh deb

rpm: ## make the same packages for systems with RPM
	$(call install_packages,$(build_packages) $(package_packages))
	Install/packages.sh rpm

clean: ## remove what the build has made
	rm -rf .build

endif
