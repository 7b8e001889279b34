#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Expectation: a program that deletes refuses a name that fits several objects, or all programs delete the same.
# Seen: of three private keys with one label, `pkcs11-tool --delete-object` of OpenSC 0.23.0 deletes the first that the token
# names, and `p11tool --delete --batch` of GnuTLS 3.7.9 all; both end with status 0, and pkcs11-tool names none.
# Consequence: objects are deleted by the identifier, after a search that shows a single one.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export SOFTHSM2_CONF=$dir/conf GNUTLS_PIN=1234
module=/usr/lib/softhsm/libsofthsm2.so
for package in opensc=0.23.0-0.3+deb12u2 gnutls-bin=3.7.9-2+deb12u7 softhsm2=2.6.1-2.1; do
    has=$(dpkg-query -W -f '${Version}' "${package%%=*}" || true)
    [ "$has" = "${package#*=}" ] || { echo "differs: ${package%%=*} has the version $has, not ${package#*=}"; exit 1; }
    echo "$package"
done
mkdir "$dir/tokens"
echo "directories.tokendir = $dir/tokens" >"$dir/conf"
timeout 20 softhsm2-util --init-token --free --label T --pin 1234 --so-pin 87654321 >/dev/null

gnutls() { timeout 60 p11tool --batch --provider "$module" --login "$@"; }
opensc() { timeout 60 pkcs11-tool --module "$module" --login --pin 1234 "$@"; }
count() { opensc -O --type privkey 2>/dev/null | grep -c 'label: *same' || true; }
for id in 01 02 03; do opensc --keypairgen --key-type EC:prime256v1 --id $id --label same >/dev/null 2>&1; done
first=$(count)
opensc --delete-object --type privkey --label same >"$dir/out" 2>&1 && one=0 || one=$?
second=$(count)
opensc --keypairgen --key-type EC:prime256v1 --id 04 --label same >/dev/null 2>&1
third=$(count)
gnutls --delete 'pkcs11:token=T;object=same;type=private' >>"$dir/out" 2>&1 && all=0 || all=$?
fourth=$(count)
echo "expected: a refusal, or the same number twice"
echo "seen: pkcs11-tool: $first keys, then $second, status $one; p11tool: $third keys, then $fourth, status $all"
sed 's/^/output: /' "$dir/out"
[ "$first $second $one $third $fourth $all" = "3 2 0 3 0 0" ] && echo "as stated" ||
    { echo "differs: one of both refuses, or deletes another number"; exit 1; }
