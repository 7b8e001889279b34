#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# threads.sh [SECONDS [SANITIZER]]: lets 16 threads call the library at once for SECONDS (60), under ThreadSanitizer and
# then under AddressSanitizer, or under one of them. The token is emulated in the same process.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. Tests/Scripts/common.sh

seconds=${1:-60}
configuration=$(configuration_for "$seconds")
for sanitizer in ${2:-thread address}; do
    build=.build/$sanitizer
    modules=$build/$configuration
    for target in Cryptoki Configuration EmulatedTokens; do
        swift build -c "$configuration" --scratch-path "$build" --target $target --sanitize "$sanitizer" \
            --disable-index-store -Xswiftc -enable-testing
    done
    libraries=$(objects "$modules" \
        APDU Asking CProcess COpenSSL ContainerFolders Containers Cryptoki EmulatedTokens Emulator GOST GOSTKernels HostCrypto HostProcess \
        Locking Logging Secrets SecureChannel Storage Token TokenEnd Tokens Translation)
    # shellcheck disable=SC2086
    swiftc "$(optimisation_for "$configuration")" -sanitize="$sanitizer" \
        -package-name "$(package_name "$build/$configuration.yaml")" -parse-as-library \
        -swift-version 6 -use-ld=lld -I "$modules/Modules" -I Include/CHostProcess \
        -Xcc -fmodule-map-file=Include/CCryptoki/module.modulemap \
        -Xcc -fmodule-map-file="$modules/GOSTKernels.build/module.modulemap" \
        -Xcc -fmodule-map-file="$modules/CProcess.build/module.modulemap" \
        -Xcc -fmodule-map-file="$modules/COpenSSL.build/module.modulemap" \
        Tests/Programs/Threads/threads.swift Tests/Unit/CryptokiTests/Application.swift $libraries \
        -o "$build/threads"
    echo "under the sanitizer of: $sanitizer"
    TSAN_OPTIONS="halt_on_error=1 history_size=4" ASAN_OPTIONS=detect_leaks=0 SWIFT_BACKTRACE=enable=no \
        "$build/threads" "$seconds"
done
echo "threads.sh: passed"
