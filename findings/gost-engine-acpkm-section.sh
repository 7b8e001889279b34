#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Expectation: "openssl cms -decrypt" with gost-engine gives back what "openssl cms -encrypt" with it has encrypted by Kuznyechik
# or Magma in CTR-ACPKM (R 1323565.1.025-2019, where a key is for 256 KiB of Kuznyechik and 8 KiB of Magma).
# Seen: it changes the key after 4 KiB of Kuznyechik, 1 KiB of Magma, though it encrypts with the longer sections: the rest of
# the content is noise, with status 0. With OMAC the status is 4.
# Consequence: open longer messages with another program, or send "-omac", AES or GOST 28147-89 to users of gost-engine.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

has=$(dpkg-query -W -f '${Version}' libengine-gost-openssl)
[[ $has == 3.0.1* ]] || { echo "differs: libengine-gost-openssl has the version $has, not 3.0.1"; exit 1; }
printf 'openssl_conf=a\n[a]\nengines=b\n[b]\ngost=c\n[c]\ndefault_algorithms=ALL\n[req]\ndistinguished_name=d\n[d]\n' > conf
export OPENSSL_CONF=conf
openssl req -x509 -newkey gost2012_256 -pkeyopt paramset:A -nodes -keyout key -out certificate -subj /CN=a -days 9 2> errors
head -c 9000 /dev/zero | tr '\0' A > text

echo "$(openssl version), gost-engine $has"
for row in "kuznyechik-ctr-acpkm 4096 0" "magma-ctr-acpkm 1024 0" "kuznyechik-ctr-acpkm-omac 4096 4" "magma-ctr-acpkm-omac 1024 4"; do
    read -r cipher section wanted <<< "$row"
    openssl cms -encrypt -binary -in text -outform DER -out message "-$cipher" certificate
    status=0
    timeout 20 openssl cms -decrypt -binary -inform DER -in message -inkey key -recip certificate -out opened 2> errors || status=$?
    first=$(cmp text opened | sed 's/.*byte \([0-9]*\).*/\1/' || true)
    echo "$cipher: status $status, other bytes from $first on"
    [ "$status" = "$wanted" ] || { echo "differs: status $status"; exit 1; }
    [ "$first" = $((section + 1)) ] || { echo "differs: the first wrong byte is $first"; exit 1; }
done
echo "still so: gost-engine does not open its own longer messages in CTR-ACPKM"
