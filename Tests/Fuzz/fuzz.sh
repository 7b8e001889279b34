#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# fuzz.sh [SECONDS [keep|- [TARGET]]]: builds the libraries, KanalKit and the emulator for libFuzzer and
# AddressSanitizer and runs every fuzz target, or TARGET alone, for SECONDS (60), as many at once as there are
# processors. target.sh runs one. With "keep", inputs that reach new code are added to its corpus; corpus.sh adds
# others.
set -euo pipefail
cd "$(dirname "$0")/../.."
. Tests/Scripts/common.sh

configuration=$(configuration_for "${1:-60}")
export configuration
# With those that these depend on.
for target in ChannelToken Containers Emulator KanalKit KanalXML; do
    swift build -c "$configuration" --scratch-path .build/fuzz --target $target --sanitize address --disable-index-store \
        -Xswiftc -sanitize=fuzzer -Xswiftc -enable-testing -Xswiftc -DWATCHED_HEAP
done
find Tests/Fuzz -mindepth 2 -maxdepth 2 \( -name "${3:-*}.swift" -o -name "${3:-*}.c" \) | sed 's|.*/||; s|\.[a-z]*$||' | sort \
    | xargs -n 1 -P "$(nproc)" Tests/Fuzz/target.sh "${1:-60}" "${2:--}"
echo "fuzz.sh: passed"
