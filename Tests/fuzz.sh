#!/usr/bin/env bash
# Builds GOST, HostCrypto and both ends of the channel for libFuzzer and AddressSanitizer and runs every fuzz target for
# so many seconds. What is found lies in .build/fuzz/<target>.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:-60}
build=.build/fuzz

for target in GOST HostCrypto SecureChannel ChannelToken Emulator; do
    swift build -c release --scratch-path $build --target $target --sanitize address -Xswiftc -sanitize=fuzzer \
        -Xswiftc -enable-testing
done

modules=$build/release/Modules
libraries=$(printf "$build/release/%s.build/*.o " \
    APDU ChannelToken Emulator GOST GOSTKernels HostCrypto Locking Secrets SecureChannel Storage)
for source in Tests/Fuzz/*.swift; do
    target=$(basename "$source" .swift)
    echo "fuzzing $target"
    mkdir -p "$build/$target/corpus"
    swiftc -O -sanitize=fuzzer,address -parse-as-library -swift-version 6 -use-ld=lld -I $modules -I Include/COpenSSL \
        -Xcc -fmodule-map-file=$build/release/GOSTKernels.build/module.modulemap \
        "$source" $libraries -lcrypto -o "$build/$target/fuzz"
    SWIFT_BACKTRACE=enable=no "$build/$target/fuzz" -max_total_time="$seconds" -max_len=512 -timeout=20 \
        -print_final_stats=1 -verbosity=0 -artifact_prefix="$build/$target/" "$build/$target/corpus"
done
echo "fuzz.sh: passed"
