#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# kit.sh [SECONDS]: what KanalKit adds to the library's calls, on an emulated USB token and pcscd, and what watching costs
# in so many seconds (60).
set -euo pipefail
cd "$(dirname "$0")/.."
. Tests/Scripts/common.sh

prepare
start_pcscd
attach usb benchmark
"$root/.build/release/kit-benchmark" $pin "${1:-60}"
