# SPDX-License-Identifier: Apache-2.0
# Shared by checks that compile with Swift's compiler.

# The C compiler of Swift's toolchain.
clang() { "$(dirname "$(readlink -f "$(command -v swift)")")/clang" "$@"; }

# The objects of targets: the directory of a build, targets. Objects of deleted sources are still there.
objects() {
    local target map
    for target in "${@:2}"; do
        map=$1/$target.build/output-file-map.json
        if [ -e "$map" ]; then sed -n 's/.*"object": *"\(.*\.swift\.o\)".*/\1/p' "$map"; else find "$1/$target.build" -name "*.o"; fi
    done
}

# The configuration of a sanitizer's build that runs for so many seconds: for a few, optimising costs more than it saves.
configuration_for() { if [ "$1" -gt 10 ]; then echo release; else echo debug; fi; }
optimisation_for() { if [ "$1" = release ]; then echo -O; else echo -Onone; fi; }

# The name that the compiler knows the package by, from a file that "swift build" has left, such as .build/debug.yaml.
# Sources that use what is declared "package" have to be compiled as parts of the package.
package_name() { sed -n 's/.*"-module-name","Secrets",.*"-package-name","\([^"]*\)".*/\1/p; T; q' "$1"; }

# The build whose modules sources are compiled with: that of "swift build" without $KANAL_CONFIGURATION.
modules_build=.build/${KANAL_CONFIGURATION:-debug}

# The flags by which the compiler finds the modules in C: those of a build in this directory, $modules_build without one.
c_module_flags() {
    printf -- '-Xcc -fmodule-map-file=%s ' Include/*/module.modulemap \
        "${1:-$modules_build}"/{CProcess,COpenSSL,CReserve,CXML,GOSTKernels}.build/module.modulemap
    # shellcheck disable=SC2046
    printf -- '-Xcc %s ' $(pkg-config --cflags-only-I libpcsclite)
}
