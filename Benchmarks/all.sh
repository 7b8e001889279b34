#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs all benchmarks: "make bench". Each prints a table, which is also in .build.
set -euo pipefail
cd "$(dirname "$0")/.."

# measure NAME COMMAND...
measure() { "${@:2}" | tee ".build/$1.md"; }

for product in benchmark channel-benchmark kit-benchmark message-benchmark; do
    KANAL_BENCHMARKS=1 swift build -c release --product $product
done
measure benchmark .build/release/benchmark
measure channel-benchmark .build/release/channel-benchmark
measure kit-benchmark Benchmarks/kit.sh
measure message-benchmark Benchmarks/messages.sh
measure document-benchmark Tests/System/apart Benchmarks/documents.sh
measure module-benchmark Benchmarks/module.sh
measure engine-benchmark Benchmarks/engine.sh
measure round-trips Benchmarks/round-trips.sh
measure login-benchmark Tests/System/apart Benchmarks/logins.sh
measure share-benchmark Tests/System/apart Benchmarks/share.sh
