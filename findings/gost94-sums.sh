#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Expectation: a sum of GOST R 34.11-94 is one string (RFC 5831): gostsum, which comes from the same source as the engine
# gost, rhash and nettle write the sum of "openssl dgst -md_gost94".
# Seen: gostsum writes the bytes in reverse, though its companion gost12sum does not; rhash's --gost94 and nettle's
# gosthash94 use the S-boxes of the standard's example, where OpenSSL uses CryptoPro's. Three sums of one file.
# Consequence: a sum of an old archive that "differs" may be right. Compare it with all three before the file is blamed.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

timeout 300 apt-get -qq -o APT::Sandbox::User=root download gostsum=3.0.1-2+b1 libengine-gost-openssl=3.0.1-2+b1 \
    rhash=1.4.3-3 librhash0=1.4.3-3 nettle-bin=3.8.1-2 libnettle8=3.8.1-2
for package in ./*.deb; do dpkg-deb -x "$package" .; done
lib=$dir/usr/lib/x86_64-linux-gnu
export LD_LIBRARY_PATH=$lib OPENSSL_ENGINES=$lib/engines-3 PATH=$dir/usr/bin:$PATH
printf 'openssl_conf = m\n[m]\nengines = e\n[e]\ngost = g\n[g]\nengine_id = gost\ndefault_algorithms = ALL\n' > gost.cnf
printf abc > file

engine=$(OPENSSL_CONF=gost.cnf timeout 20 openssl dgst -md_gost94 -r file | cut -d' ' -f1)
engine12=$(OPENSSL_CONF=gost.cnf timeout 20 openssl dgst -md_gost12_256 -r file | cut -d' ' -f1)
sum=$(timeout 20 gostsum file | cut -d' ' -f1)
sum12=$(timeout 20 gost12sum file | cut -d' ' -f1)
rhash=$(timeout 20 rhash --gost94 --simple file | grep -oE '[0-9a-f]{64}')
rhash_cp=$(timeout 20 rhash --gost94-cryptopro --simple file | grep -oE '[0-9a-f]{64}')
nettle=$(timeout 20 nettle-hash -a gosthash94 < file | cut -d' ' -f1-4 | tr -d ' ')
reversed=$(fold -w2 <<< "$engine" | tac | tr -d '\n')

echo "gost-engine and gostsum 3.0.1-2+b1, rhash 1.4.3-3, nettle 3.8.1-2"
echo "expected of all:          $engine"
echo "gostsum:                  $sum"
echo "rhash --gost94:           $rhash"
echo "nettle-hash gosthash94:   $nettle"
echo "rhash --gost94-cryptopro: $rhash_cp"
[ "$engine12" = "$sum12" ] || { echo "differs: gost12sum is not as OpenSSL's sum"; exit 1; }
[ "$sum" = "$reversed" ] || { echo "differs: gostsum's sum is not OpenSSL's in reverse"; exit 1; }
[[ $rhash = "$nettle" && $rhash != "$engine" ]] || { echo "differs: rhash's or nettle's S-boxes"; exit 1; }
[ "$rhash_cp" = "$engine" ] || { echo "differs: rhash's sum with CryptoPro's S-boxes"; exit 1; }
echo "still so: three sums"
