#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# fuzz.sh [SECONDS [keep|- [TARGET]]]: builds the libraries, the driver and the emulator for libFuzzer and
# AddressSanitizer and runs every fuzz target, or TARGET alone, for so many seconds (60), beginning with the inputs of its
# corpus, Tests/Fuzz/Corpora/<target>.tar.gz. What is found lies in .build/fuzz/<target>. With "keep", the inputs that
# reach code that no kept one reaches are added to the archive; corpus.sh adds others.
set -euo pipefail
cd "$(dirname "$0")/../.."
. Tests/Scripts/common.sh

seconds=${1:-60}
keep=${2:--}
only=${3:-*}
build=.build/fuzz

for target in HostCrypto ChannelToken Emulator Configuration Token; do
    swift build -c release --scratch-path $build --target $target --sanitize address -Xswiftc -sanitize=fuzzer \
        -Xswiftc -enable-testing -Xswiftc -DWATCHED_HEAP
done

modules=$build/release/Modules
libraries=$(objects $build/release \
    APDU ChannelToken Configuration Emulator GOST GOSTKernels HostCrypto HostProcess Locking Logging Secrets \
    SecureChannel Storage Token)
for source in Tests/Fuzz/$only.swift; do
    target=$(basename "$source" .swift)
    echo "fuzzing $target"
    kept=$build/$target/kept
    dictionary=Tests/Fuzz/$target.dict
    mkdir -p "$build/$target/corpus"
    Tests/Scripts/corpus.sh unpack "$target"
    swiftc -O -sanitize=fuzzer,address -package-name "$(package_name $build/release.yaml)" -parse-as-library \
        -swift-version 6 -use-ld=lld -I $modules -I Include/COpenSSL -I Include/CHostProcess \
        -Xcc -fmodule-map-file=$build/release/GOSTKernels.build/module.modulemap \
        "$source" $(find "Tests/Fuzz/$target" -name '*.swift' 2> /dev/null) $libraries -lcrypto -o "$build/$target/fuzz"
    SWIFT_BACKTRACE=enable=no "$build/$target/fuzz" -max_total_time="$seconds" -max_len=1024 -len_control=0 -timeout=20 \
        -print_final_stats=1 -verbosity=0 -artifact_prefix="$build/$target/" \
        $([ ! -e "$dictionary" ] || echo "-dict=$dictionary") "$build/$target/corpus" "$kept"
    if [ "$keep" = keep ]; then
        "$build/$target/fuzz" -merge=1 -use_counters=0 -max_len=1024 "$kept" "$build/$target/corpus"
        Tests/Scripts/corpus.sh pack "$target"
    fi
done
echo "fuzz.sh: passed"
