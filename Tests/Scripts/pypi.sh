#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# pypi.sh NAME FILE: installs the packages of PyPI that FILE lists in .build/NAME, unless they are there. Files of checks have no
# network in "make test", so that a step of Tests/ci.txt does it.
set -euo pipefail
cd "$(dirname "$0")/../.."

place=.build/$1
if cmp -s "$2" "$place/requirements.txt"; then exit; fi
rm -rf "$place"
python3 -m venv "$place"
timeout 300 "$place/bin/pip" install -q -r "$2"
cp "$2" "$place/requirements.txt"
