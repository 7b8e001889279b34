#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# documents.sh [MEBIBYTES]: how long a document of XML of so many (10) MiB, with a signature of all of it in the exclusive form,
# takes: "kanal verify" and "kanal sign" with an RSA key of an emulated token beside xmlsec1 with the same kind of key in a file,
# and the same with a GOST key. The aims: 1.5 times as fast as xmlsec1, and with GOST at most 1.2 times as long as with RSA.
set -euo pipefail
cd "$(dirname "$0")/.."
. Tests/Scripts/common.sh
size=${1:-10}

prepare
export PIN=$pin
start_pcscd
attach usb state-usb
openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 30 -subj /CN=Authority 2> log
for kind in rsa2048 gost256; do
    expect 0 "$kanal" key generate --pin-source env:PIN --kind $kind --label $kind
    expect 0 "$kanal" cert request --pin-source env:PIN --key $kind --subject CN=Token --output $kind.csr
    openssl x509 -req -in $kind.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 30 -out $kind.pem 2> log
    expect 0 "$kanal" cert import --pin-source env:PIN --label $kind $kind.pem
done
python3 - "$size" << 'END'
import sys
count, number = 0, 0
with open("document.xml", "w") as file:
    file.write('<?xml version="1.0" encoding="UTF-8"?>\n<r:root xmlns:r="urn:r" xmlns:i="urn:i">\n')
    while count < int(sys.argv[1]) << 20:
        count += file.write(f'  <i:item Id="i{number}" kind="k{number % 7}"><i:name>Name {number} &amp; more</i:name>'
                            f'<i:value unit="rub">{number * 7919 % 1000000}.{number % 100:02}</i:value></i:item>\n')
        number += 1
    file.write("</r:root>\n")
END
"$kanal" sign --xml --pin-source env:PIN --key rsa2048 document.xml --output rsa.xml > log
"$kanal" sign --xml --pin-source env:PIN --key gost256 document.xml --output gost.xml > log
# The document with a signature without values, for xmlsec1, and a key in a file.
sed 's|<ds:DigestValue>[^<]*|<ds:DigestValue>|; s|<ds:SignatureValue>[^<]*|<ds:SignatureValue>|' rsa.xml > template.xml

# took NAME COMMAND…: adds its seconds to NAME.times.
took() {
    local start=$EPOCHREALTIME
    "${@:2}" > log 2>&1 || fail "${*:2}: $(tail -n 3 log)"
    awk "BEGIN { printf \"%.3f\n\", $EPOCHREALTIME - $start }" >> "$1.times"
}
best() { sort -n "$1.times" | head -1; }
for _ in 1 2 3 4 5 6 7; do
    took verify-rsa "$kanal" verify --xml --ca ca.pem rsa.xml
    took verify-gost "$kanal" verify --xml --ca ca.pem gost.xml
    took verify-xmlsec1 xmlsec1 --verify --trusted-pem ca.pem rsa.xml
    took sign-rsa "$kanal" sign --xml --pin-source env:PIN --key rsa2048 document.xml --output signed.xml --overwrite
    took sign-gost "$kanal" sign --xml --pin-source env:PIN --key gost256 document.xml --output signed.xml --overwrite
    took sign-xmlsec1 xmlsec1 --sign --privkey-pem ca.key,ca.pem --output signed-there.xml template.xml
done
echo "| document of XML, $size MiB | verify, s | faster | sign, s | faster |"
echo "| --- | ---: | ---: | ---: | ---: |"
for name in rsa gost xmlsec1; do
    printf '| %s |' "$(sed 's/rsa/`kanal`, RSA/; s/gost/`kanal`, GOST/; s/xmlsec1/xmlsec1, RSA/' <<< $name)"
    for work in verify sign; do
        awk "BEGIN { printf \" %.2f | %.2f |\", $(best $work-$name), $(best $work-xmlsec1) / $(best $work-$name) }"
    done
    echo
done
