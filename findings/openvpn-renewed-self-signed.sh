#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Expectation: `openvpn --show-pkcs11-ids` lists the certificates of the token, each with its identifier,
# a renewed one beside the old one.
# Seen: OpenVPN 2.6.14 with pkcs11-helper 1.29.0 leaves out each certificate that another one on the token verifies against. Of
# a self-signed one and its renewal with the same key each is the other's issuer: both vanish, and the list is empty. With the
# same helper gnupg-pkcs11-scd 0.10.0 does not report the key to GnuPG any more (KEYPAIRINFO).
# Consequence: the old certificate is deleted from the token before the new one is written, if both are self-signed; an empty
# list does not mean that the token has none.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export SOFTHSM2_CONF=$dir/conf GNUTLS_PIN=1234
module=/usr/lib/softhsm/libsofthsm2.so
for package in openvpn=2.6.14-0+deb12u2 libpkcs11-helper1=1.29.0-1 gnupg-pkcs11-scd=0.10.0-2 softhsm2=2.6.1-2.1 \
    gnutls-bin=3.7.9-2+deb12u7; do
    has=$(dpkg-query -W -f '${Version}' "${package%%=*}" || true)
    [ "$has" = "${package#*=}" ] || { echo "differs: ${package%%=*} has the version $has, not ${package#*=}"; exit 1; }
    echo "$package"
done
mkdir "$dir/tokens"
cd "$dir"
echo "directories.tokendir = $dir/tokens" >conf
timeout 20 softhsm2-util --init-token --free --label T --pin 1234 --so-pin 87654321 >/dev/null

mkdir home
printf '%s\n' 'providers softhsm' "provider-softhsm-library $module" >scd.conf

write() { timeout 60 p11tool --batch --provider "$module" --login --write "$@" pkcs11:token=T >/dev/null 2>&1; }
shown() { timeout 20 openvpn --show-pkcs11-ids "$module" | sed -n 's/.*DN: *//p' | sort | tr '\n' ' '; }
keys() { printf 'LEARN --force\nBYE\n' | timeout 20 gnupg-pkcs11-scd --homedir home --options scd.conf --server 2>/dev/null |
    grep -c KEYPAIRINFO || true; }
public() { timeout 20 p11tool --provider "$module" --list-all-certs pkcs11:token=T | grep -c 'Type: X.509'; }
timeout 30 openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out old.pem -subj /CN=client -days 30 2>/dev/null
timeout 30 openssl req -x509 -key key.pem -out new.pem -subj /CN=client -days 900 2>/dev/null
write --load-privkey key.pem --label client --id 01
write --load-certificate old.pem --label client --id 01
first=$(shown) learnt=$(keys) count=$(public)
write --load-certificate new.pem --label client --id 01
second=$(shown) later=$(keys) all=$(public)
echo "public certificates on the token: $count, then $all"
echo "expected: CN=client, then CN=client CN=client; keys for GnuPG: 1, then 1 or 2"
echo "seen: ${first:-nothing}, then ${second:-nothing}; keys for GnuPG: $learnt, then $later"
[ "$count $all $learnt $later" = "1 2 1 0" ] && [ "$first" = "CN=client " ] && [ -z "$second" ] && echo "as stated" ||
    { echo "differs: both certificates or one of them is shown"; exit 1; }
