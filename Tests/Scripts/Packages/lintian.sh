#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The packages of "make deb" as Debian's own checker sees them: no error, no warning, no pedantry but what an override
# explains, and no override of what is not there.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. Tests/Scripts/common.sh

packages=${PACKAGES:-.build/packages}/deb
lintian --allow-root --pedantic --fail-on error,warning,pedantic "$packages"/*.changes || fail "lintian finds fault"
unused=$(lintian --allow-root --display-info "$packages"/*.changes | grep 'unused-override' || true)
[ -z "$unused" ] || fail "$unused"
passed "lintian: $(cat Packaging/debian/*.lintian-overrides | grep -vc '^#') overrides, and nothing else"
