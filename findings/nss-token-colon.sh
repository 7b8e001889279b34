#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Expectation: the name in the list of `certutil -L -h all`, TOKEN:NICKNAME, is the name that `certutil -L -n` accepts.
# Seen: with a colon in the token's label, as in shop:1, NSS 3.87.1 lists shop:1:web, and looks for a token "shop": "Could not
# find cert". The URI `pkcs11:token=shop%3A1;object=web` finds it.
# Consequence: a token that Firefox, Thunderbird or certutil use gets a label without a colon, or is named by its URI.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export SOFTHSM2_CONF=$dir/conf GNUTLS_PIN=1234
module=/usr/lib/softhsm/libsofthsm2.so
for package in libnss3-tools=2:3.87.1-1+deb12u4 softhsm2=2.6.1-2.1 gnutls-bin=3.7.9-2+deb12u7; do
    has=$(dpkg-query -W -f '${Version}' "${package%%=*}" || true)
    [ "$has" = "${package#*=}" ] || { echo "differs: ${package%%=*} has the version $has, not ${package#*=}"; exit 1; }
    echo "$package"
done
mkdir "$dir/tokens" "$dir/db"
cd "$dir"
echo "directories.tokendir = $dir/tokens" >conf
echo 1234 >pin
timeout 30 openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -subj /CN=web 2>/dev/null
for token in shop shop:1; do
    timeout 20 softhsm2-util --init-token --free --label "$token" --pin 1234 --so-pin 87654321 >/dev/null
done
timeout 30 p11tool --batch --provider "$module" --login --write --load-certificate cert.pem --label web --id 01 \
    "pkcs11:token=shop:1" >/dev/null 2>&1
timeout 30 certutil -N -d sql:db --empty-password
timeout 30 modutil -force -dbdir sql:db -add softhsm -libfile "$module" >/dev/null 2>&1

list=$(timeout 30 certutil -L -d sql:db -h all -f pin | grep -o 'shop:1:web' || true)
try() { timeout 30 setsid -w certutil -L -d sql:db -h shop:1 -n "$1" -f pin </dev/null 2>&1 |
    grep -o -m 1 'Subject: .*\|Could not find cert' || true; }
listed=$(try "shop:1:web") uri=$(try "pkcs11:token=shop%3A1;object=web")
echo "listed as: $list"
echo "expected by this name: Subject: \"CN=web\""
echo "seen by this name: $listed; by its URI: $uri"
[ "$list|$listed|$uri" = 'shop:1:web|Could not find cert|Subject: "CN=web"' ] && echo "as stated" ||
    { echo "differs: the listed name works, or the URI does not"; exit 1; }
