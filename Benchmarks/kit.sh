#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# kit.sh [SECONDS]: what KanalKit adds to the library's calls, on an emulated USB token and pcscd, and what watching costs
# in so many seconds (60). The threads that run tasks are as few as can be, so that one that is blocked is noticed.
set -euo pipefail
cd "$(dirname "$0")/.."
. Tests/Scripts/common.sh

prepare
start_pcscd
attach usb benchmark
LIBDISPATCH_COOPERATIVE_POOL_STRICT=1 "$root/.build/release/kit-benchmark" $pin "${1:-60}"
