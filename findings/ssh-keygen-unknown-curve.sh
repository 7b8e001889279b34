#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Expectation: "ssh-keygen -D MODULE" downloads the public keys of a token (ssh-keygen(1)) as lines for authorized_keys, and leaves
# out or reports keys for which SSH has no type.
# Seen: OpenSSH 9.2p1 prints a key on secp256k1 as "ssh-unknown", among the others, without a message and with status 0.
# ssh-keygen itself finds no key in that line.
# Consequence: a script that adds what is printed to authorized_keys, or uses the first line, drops the lines with ssh-unknown:
# "ssh-keygen -D MODULE | grep -v ^ssh-unknown". Such a key is of no use for SSH.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
module=/usr/lib/softhsm/libsofthsm2.so
for package in openssh-client=1:9.2p1-2+deb12u10 softhsm2=2.6.1-2.1 opensc=0.23.0-0.3+deb12u2; do
    has=$(dpkg-query -W -f '${Version}' "${package%%=*}" || true)
    [ "$has" = "${package#*=}" ] || { echo "differs: ${package%%=*} has the version $has, not ${package#*=}"; exit 1; }
    echo "$package"
done
mkdir tokens
echo "directories.tokendir = $dir/tokens" >conf
export SOFTHSM2_CONF=$dir/conf
timeout 20 softhsm2-util --init-token --free --label T --pin 1234 --so-pin 87654321 >/dev/null
for key in 01:rsa:2048 02:EC:secp256k1 03:EC:prime256v1; do
    timeout 60 pkcs11-tool --module "$module" --login --pin 1234 --keypairgen --id "${key%%:*}" --label "key${key%%:*}" \
        --key-type "${key#*:}" >log 2>&1
done

timeout 20 ssh-keygen -D "$module" >lines 2>messages && status=0 || status=$?
types=$(sort -k 3 lines | cut -d ' ' -f 1 | paste -sd ' ')
grep '^ssh-unknown' lines >unknown || true
grep -v '^ssh-unknown' lines >others || true
timeout 20 ssh-keygen -lf others >known 2>&1 || true
timeout 20 ssh-keygen -lf unknown >none 2>&1 && fingerprint=yes || fingerprint=$(grep -o 'is not a public key file' none || true)
echo "expected: ssh-rsa ecdsa-sha2-nistp256, or a message about key02"
echo "seen: $types; status $status; messages: $(wc -c <messages) bytes"
echo "seen: keys in the other lines: $(wc -l <known); the line of key02 $fingerprint"
if [ "$types|$status|$(wc -c <messages)" = "ssh-rsa ssh-unknown ecdsa-sha2-nistp256|0|0" ] &&
    [ "$(wc -l <known)|$fingerprint" = "2|is not a public key file" ]; then
    echo "as stated"
else
    echo "differs: the key is left out, reported or known"
    exit 1
fi
