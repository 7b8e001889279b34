#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# 16 threads call the library at once for $seconds, under ThreadSanitizer and AddressSanitizer. The token is emulated in the
# same process. Builds in folders of its own, for minutes: at night.
load ../common
load ../compiler

seconds=$(amount 10 "${seconds:-60}")
configuration=$(configuration_for "$seconds")

under() {
    local build=.build/$1 modules=.build/$1/$configuration target libraries
    cd "$root"
    for target in Cryptoki Configuration EmulatedTokens; do
        swift build -c "$configuration" --scratch-path "$build" --target $target --sanitize "$1" --disable-index-store \
            -Xswiftc -enable-testing 3>&-
    done
    libraries=$(objects "$modules" \
        APDU Asking CProcess COpenSSL ContainerFolders Containers Cryptoki EmulatedTokens Emulator GOST GOSTKernels HostCrypto HostProcess \
        Locking Logging Secrets SecureChannel Storage Token TokenEnd Tokens Translation VirtualReaders)
    # shellcheck disable=SC2086,SC2046
    swiftc "$(optimisation_for "$configuration")" -sanitize="$1" \
        -package-name "$(package_name "$build/$configuration.yaml")" -parse-as-library \
        -swift-version 6 -use-ld=lld -I "$modules/Modules" -I Include/CHostProcess \
        -Xcc -fmodule-map-file=Include/CCryptoki/module.modulemap \
        $(printf -- "-Xcc -fmodule-map-file=$modules/%s.build/module.modulemap " GOSTKernels CProcess COpenSSL) \
        Tests/Programs/Threads/threads.swift Tests/Unit/CryptokiTests/Application.swift $libraries -o "$build/threads"
    TSAN_OPTIONS="halt_on_error=1 history_size=4" ASAN_OPTIONS=detect_leaks=0 SWIFT_BACKTRACE=enable=no \
        "$build/threads" "$seconds" 3>&-
}

@test "no race is seen by ThreadSanitizer" { under thread; }

@test "no fault of memory is seen by AddressSanitizer" { under address; }
