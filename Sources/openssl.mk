# SPDX-License-Identifier: Apache-2.0
# OpenSSL's engine and provider: C alone, built without SwiftPM, which can neither call the files so nor leave the package's
# other products alone. The Makefile includes this.

# By these, which older versions of make do not give to what they call for a variable.
pkg_config = PKG_CONFIG_SYSROOT_DIR=$(PKG_CONFIG_SYSROOT_DIR) $(if $(CROSS),PKG_CONFIG_LIBDIR=$(PKG_CONFIG_LIBDIR)) pkg-config

# The engine finds the library where its own directory lies, or where the loader looks.
engine := .build/release/engines-3/kanal.so
# Keys and tokens, which the provider has, too, and the numbers of GOST curves.
openssl_keys := $(wildcard Sources/OpenSSLKeys/*.c Sources/GOSTKernels/Parameters/*.c)
engine_sources := $(wildcard Sources/OpenSSLEngine/*.c) $(openssl_keys)
engine_packages := libcrypto p11-kit-1
# Marks where an indirect call or jump may go, for the processor that $(CC) compiles for.
engine_machine = $(firstword $(subst -, ,$(shell $(CC) -dumpmachine)))
engine_marks = $(if $(filter x86_64,$(engine_machine)),-fcf-protection=full,$(if $(filter aarch64,$(engine_machine)),-mbranch-protection=standard))
# Flags of all C that is built so.
c_flags = -ISources/OpenSSLKeys -ISources/GOSTKernels/include -std=gnu11 -O2 -g -fPIC -fvisibility=hidden \
    -DOPENSSL_API_COMPAT=10101 -Wall -Wextra -Wshadow -Werror -fstack-protector-strong -fstack-clash-protection \
    -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 $(engine_marks) -ffile-prefix-map=$(CURDIR)=.
engine_linking = -shared -Wl,--version-script=Sources/OpenSSLEngine/exports.map,-z,defs,-z,now,-z,relro,-z,nodelete \
    -Wl,-z,noexecstack,--as-needed
# The provider has the kernels, too, which Swift's clang compiles. It links no libcrypto: it has that which has loaded it, of
# any version.
provider := .build/release/ossl-modules/kanal.so
provider_sources := $(sort $(shell find Sources/OpenSSLProvider Sources/OpenSSLKeys Sources/GOSTKernels -name '*.c'))
provider_flags = -ISources/OpenSSLProvider -DKANAL_VERSION='"$(version)"' $(c_flags)
provider_linking = -shared $(if $(CROSS),,-fuse-ld=bfd) -Wl,--version-script=Sources/OpenSSLProvider/exports.map,-z,defs,-z,now,-z,relro,-z,nodelete \
    -Wl,-z,noexecstack,--as-needed

# After SwiftPM: its link .build/release takes the place of a folder of that name, and of all that lies there.
$(engine): $(wildcard Sources/OpenSSLEngine/* Sources/OpenSSLKeys/*) $(openssl_keys) | $(built)
	@mkdir -p $(@D)
	$(CC) $(c_flags) $(engine_sources) $(engine_linking) $(shell $(pkg_config) --cflags --libs $(engine_packages)) -o $@

provider_objects := $(provider_sources:Sources/%.c=.build/release/provider.build/%.o)
$(provider_objects): .build/release/provider.build/%.o: Sources/%.c $(shell find Sources/COpenSSL Sources/GOSTKernels Sources/OpenSSLKeys Sources/OpenSSLProvider -name '*.h' -o -name '*.inc') | $(built)
	@mkdir -p $(@D)
	$(clang) $(provider_flags) $(shell $(pkg_config) --cflags $(engine_packages)) -c $< -o $@

$(provider): $(provider_objects) Sources/OpenSSLProvider/exports.map
	@mkdir -p $(@D)
	$(clang) $(provider_objects) $(provider_linking) $(shell $(pkg_config) --libs p11-kit-1) -o $@
