#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what Examples/PDF needs of PyPI in .build/pyhanko, unless it is there. Files of checks have no network in "make test", so that
# a step of Tests/ci.txt does it.
set -euo pipefail
cd "$(dirname "$0")/../.."

needed=Examples/PDF/requirements.txt
place=.build/pyhanko
if cmp -s $needed $place/requirements.txt; then exit; fi
rm -rf $place
python3 -m venv $place
timeout 300 $place/bin/pip install -q -r $needed
cp $needed $place
