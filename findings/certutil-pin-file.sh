#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Expectation: `certutil -f` names "a file that will automatically supply the password" (its manual), and a public certificate
# needs none: `certutil -L -n TOKEN:NAME -f FILE` runs without a terminal.
# Seen: certutil 3.87.1 reads the file with `-L -h TOKEN` alone. With -n and no -h it logs in to the token for a public
# certificate, and asks at the terminal: a script gets "Error opening input terminal for read" and "Could not find cert".
# Consequence: scripts name the token twice, `-h TOKEN -n TOKEN:NAME -f FILE`.
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
timeout 20 softhsm2-util --init-token --free --label T --pin 1234 --so-pin 87654321 >/dev/null
timeout 30 p11tool --batch --provider "$module" --login --write --load-certificate cert.pem --label web --id 01 \
    pkcs11:token=T >/dev/null 2>&1
public=$(timeout 20 p11tool --provider "$module" --list-all-certs pkcs11:token=T 2>/dev/null | grep -c 'Type: X.509')
timeout 30 certutil -N -d sql:db --empty-password
timeout 30 modutil -force -dbdir sql:db -add softhsm -libfile "$module" >/dev/null 2>&1

try() { timeout 30 setsid -w certutil -L -d sql:db "$@" -f pin </dev/null 2>&1 |
    grep -o -m 1 'Subject: .*\|Error opening input terminal' || true; }
plain=$(try -n T:web) named=$(try -h T -n T:web)
echo "certificates that are seen without a PIN: $public"
echo "expected: Subject: \"CN=web\" with and without -h"
echo "seen: without -h: $plain; with -h: $named"
[ "$public|$plain|$named" = '1|Error opening input terminal|Subject: "CN=web"' ] && echo "as stated" ||
    { echo "differs: certutil reads the file in both cases, or in none"; exit 1; }
