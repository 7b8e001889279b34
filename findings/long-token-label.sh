#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Expectation: a token's label is 32 bytes of UTF-8 that end with a whole character (PKCS #11, CK_TOKEN_INFO), so a
# name that does not fit is refused, as softhsm2-util does.
# Seen: pkcs11-tool of OpenSC 0.23.0 and p11tool of GnuTLS 3.7.9 cut it after 32 bytes, in the middle of a letter, and print
# "successfully initialized": 16 Cyrillic letters and a hyphen are too many. The same name then does not find the token.
# Consequence: a label of at most 32 bytes, 16 Cyrillic letters; a token with a longer name is found by its serial number.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export LC_ALL=C.UTF-8 SOFTHSM2_CONF=$dir/conf
module=/usr/lib/softhsm/libsofthsm2.so
for package in opensc=0.23.0-0.3+deb12u2 softhsm2=2.6.1-2.1 gnutls-bin=3.7.9-2+deb12u7; do
    has=$(dpkg-query -W -f '${Version}' "${package%%=*}" || true)
    [ "$has" = "${package#*=}" ] || { echo "differs: ${package%%=*} has the version $has, not ${package#*=}"; exit 1; }
    echo "$package"
done
mkdir "$dir/tokens"
echo "directories.tokendir = $dir/tokens" >"$dir/conf"
name=Бухгалтерия-склад-Тула
other=Канцелярия-приёмная-Тула

tool() { timeout 20 pkcs11-tool --module "$module" "$@"; }
refused=yes
timeout 20 softhsm2-util --init-token --free --label "$name" --pin 1234 --so-pin 87654321 >"$dir/other" 2>&1 && refused=no
slot=$(timeout 20 softhsm2-util --show-slots | awk '/^Slot/ { slot = $2 } END { print slot }')
tool --slot "$slot" --init-token --label "$name" --so-pin 87654321 >"$dir/init" 2>&1 && status=0 || status=$?
url=$(timeout 20 p11tool --provider "$module" --list-token-urls)
found=no
tool --token-label "$name" -O >"$dir/find" 2>&1 && found=yes
GNUTLS_SO_PIN=87654321 timeout 20 p11tool --batch --provider "$module" --initialize "${url%;token=*}" --label "$other" \
    >"$dir/gnutls" 2>&1 && gnutls=0 || gnutls=$?
again=$(timeout 20 p11tool --provider "$module" --list-token-urls)

echo "expected: all programs refuse a name of $(printf %s "$name" | wc -c) bytes"
echo "seen: softhsm2-util refuses: $refused; pkcs11-tool: status $status, $(tail -1 "$dir/init"); p11tool: status $gnutls"
echo "seen: $url; found by its name: $found; after p11tool: ${again##*;}"
if [ "$refused $status $gnutls $found" = "yes 0 0 no" ] && [[ $url == *%D0%BB%D0%B0%D0 && $again == *%D1%91%D0%BC%D0 ]]; then
    echo "as stated"
else
    echo "differs: the label is refused, cut elsewhere or found"
    exit 1
fi
