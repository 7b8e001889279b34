#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Expectation: a key names its curve by the identifier of that curve: 1.2.643.7.1.2.1.1.1 is TC26's set A of 256 bits
# (RFC 9215, B.2), whose coefficient b begins with 295F9BAE; CryptoPro's set A, with b = A6, is 1.2.643.2.2.35.1 and
# 1.2.643.7.1.2.1.1.2.
# Seen: Botan's group gost_256A has CryptoPro's numbers under the identifier of TC26's set A, and is its only curve of GOST
# with 256 bits. Keys and certificates that it makes are good among Botans; OpenSSL's gost engine and others find that the
# public key is not on the curve.
# Consequence: keys of 512 bits (gost_512A) go between Botan and others; of 256 bits none do.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

timeout 120 apt-get -qq -o APT::Sandbox::User=root download botan=2.19.3+dfsg-1+deb12u1 \
    libbotan-2-19=2.19.3+dfsg-1+deb12u1 libtspi1=0.3.15-0.3
for package in ./*.deb; do dpkg-deb -x "$package" .; done
botan() { LD_LIBRARY_PATH=usr/lib/x86_64-linux-gnu timeout 20 usr/bin/botan "$@"; }
botan keygen --algo=GOST-34.10-2012-256 --params=gost_256A --der-out > key.der
named=$(openssl asn1parse -inform DER -in key.der | grep -c 'GOST R 34.10-2012 (256 bit) ParamSet A')
numbers=$(botan ec_group_info gost_256A | grep '^B = ')

echo "Botan 2.19.3+dfsg-1+deb12u1, gost_256A"
echo "its key names TC26's set A: $named time(s); coefficient of the group: $numbers"
[ "$named" = 1 ] || { echo "differs: the key has another identifier"; exit 1; }
[ "$numbers" = "B = A6" ] || { echo "differs: the group has other numbers"; exit 1; }
echo "still so: CryptoPro's curve A under the name of TC26's set A"
