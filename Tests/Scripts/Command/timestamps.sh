#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# timestamps.sh: the command "kanal" with authorities for time stamps, of GOST and RSA, made of "openssl ts", which can
# also misbehave: stamps of files and of signatures, on a token without a channel. asn1crypto and BouncyCastle look at the messages.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. Tests/Scripts/common.sh
. Tests/Scripts/Command/authority.sh

/usr/bin/python3 -c 'import asn1crypto' 2> /dev/null || fail "no asn1crypto: apt-get install python3-asn1crypto"

# stamp STATUS WORD...: has the file "text" stamped.
stamp() { run "$1" timestamp text --url "$url" --ca root.pem "${@:2}"; }

# refused MODE REASON WORD...: neither a file nor a signature is stamped, for this reason, and nothing is left.
refused() {
    echo "$1" > mode
    rm -f text.tsr text.p7m
    stamp 1 "${@:3}"
    told "$2"
    [ -z "$(ls text.* 2> /dev/null)" ] || fail "$1: a file is left: $(ls text.*)"
    run 1 sign --cms --pin-source env:PIN --timestamp "$url" --ca root.pem text "${@:3}"
    told "$2"
    [ -z "$(ls text.* 2> /dev/null)" ] || fail "$1: a file is left: $(ls text.*)"
    echo good > mode
}

files() {
    local hash
    for hash in streebog256 streebog512 sha256 sha384 sha512; do
        stamp 0 --overwrite --hash $hash --json
        json 'd["files"][0]["timeStamp"] == "text.tsr" and d["files"][0]["authority"] == "CN=tsa"'
        expect 0 openssl ts -verify -data text -in text.tsr -CAfile root.pem
        run 0 verify --ca root.pem text.tsr
        printed '^text.tsr: good$'
        printed '^  there before 20.*: time stamp of CN=tsa$'
        run 0 verify --ca root.pem text --json
        json 'd["files"][0]["timeStamp"]["authority"] == "CN=tsa"'
    done
    stamp 1
    told 'text.tsr is there already'
    run 12 verify --ca plain.pem text.tsr
    told "the time stamp's authority is not trusted"
    run 0 verify --signature-only text.tsr
    run 2 verify text.tsr
    run 1 verify --ca root.pem --content root.pem text.tsr
    told 'the time stamp is of other data'
    for mode in modified moved; do
        echo $mode > mode
        stamp 0 --overwrite
    done
    echo good > mode
    stamp 0 --overwrite --policy 1.2.3.4.5
    stamp 1 --overwrite --policy 1.2.3.4.6
    told 'does not follow the policy'
    stamp 2 --overwrite --policy 1.2.x
    # The program's own request and reply, and the stamp alone.
    expect 0 openssl ts -query -data text -sha256 -cert -no_nonce -out own.tsq
    expect 0 openssl ts -reply -config tsa.cnf -queryfile own.tsq -out own.tsr
    run 0 verify --ca root.pem own.tsr --content text
    expect 0 openssl ts -reply -config tsa.cnf -in own.tsr -token_out -out own.tsr
    run 0 verify --ca root.pem own.tsr --content text
    passed "$kind: files are stamped and verified, as by openssl ts"
}

misbehaviour() {
    refused nonce 'answers another request: its nonce differs'
    refused imprint 'the time stamp is of other data'
    for mode in plain uncritical several; do refused $mode 'must be for time stamps alone, in a critical extension'; done
    refused unnamed 'it is not a time stamp, or is damaged'
    refused future 'which is to come: check the clock'
    refused past 'long before the request: check the clock'
    refused signature 'the signature of the time stamp is wrong'
    for mode in truncated text empty; do refused $mode 'it is not a time stamp, or is damaged'; done
    refused broken 'does not answer as one: its reply has the status 503. Try again later'
    for mode in silent slow; do refused $mode 'does not answer as one: .*Try again later' --time-limit 2; done
    refused endless 'its reply is too long for a time stamp'
    rm requests
    refused circle 'does not answer as one: .*redirect'
    [ "$(cat requests)" -lt 100 ] || fail "an endless circle: $(cat requests)"
    passed "$kind: an authority that misbehaves is named with the cause, and nothing is written"
}

# asn1crypto on the structure of a message, and BouncyCastle on one whose content is in the file "text".
structure() {
    expect 0 /usr/bin/python3 "$root/Tests/Scripts/Command/time-stamped.py" "$1"
    printed '^CAdES-T$'
}
bouncycastle() {
    by_bouncycastle TimeStamped "$1" text
    printed '^CAdES-T$'
    passed "$kind: asn1crypto and BouncyCastle find the message and its stamp in order"
}

signatures() {
    local form
    for form in '' --detached; do
        # shellcheck disable=SC2086
        run 0 sign --cms $form --pin-source env:PIN --timestamp "$url" --ca root.pem text
        local message=text.p7m
        [ -z "$form" ] || message=text.p7s
        # shellcheck disable=SC2046
        expect 0 openssl cms -verify -cades -binary -inform DER -in $message -CAfile signers.pem -purpose any -out content \
            $([ -z "$form" ] || echo -content text)
        structure $message
        [ -z "$form" ] || bouncycastle $message
        run 0 verify --ca signers.pem --ca root.pem $message
        printed '(CAdES-T)$'
        printed '^  signed before 20.*, certificate valid then: time stamp of CN=tsa$'
        # All certificates have expired then.
        run 11 verify --ca signers.pem --ca root.pem --at 2199-01-01 $message --json
        json '(s := d["files"][0]["signers"][0])["level"] == "T" and "fault" not in s["timeStamps"][0]'
        # An authority that is not trusted makes nothing better.
        run 0 verify --ca signers.pem $message --json
        json '(s := d["files"][0]["signers"][0])["level"] == "BES" and s["timeStamps"][0]["fault"] == "untrusted"'
        run 12 verify --ca signers.pem --at 2199-01-01 $message
        told "expired at .*; the time stamp counts for nothing: the time stamp's authority is not trusted"
        rm $message
    done
    passed "$kind: signatures are stamped, and stay good when all certificates have expired"
}

# A document that is verified when the certificates of its signer and of the authority have ended, as docs/Recipes.md has it.
recipe() {
    cp text contract.pdf
    run 0 sign --cms --detached --pin-source env:PIN --key signer --timestamp "$url" --ca root.pem contract.pdf
    run 0 verify --ca signers.pem --ca root.pem contract.pdf
    run 11 verify --ca signers.pem --ca root.pem --at 2036-01-01 contract.pdf
    printed '^  signed before 20.*, certificate valid then: time stamp of CN=tsa$'
    # Without the stamp it is not good then.
    run 0 sign --cms --detached --pin-source env:PIN --key signer contract.pdf --overwrite
    run 12 verify --ca signers.pem --ca root.pem --at 2036-01-01 contract.pdf
    told 'expired at '
    rm contract.pdf*
    passed "$kind: a document is good after its certificates have ended because of its stamp"
}

prepare
start_pcscd
attach usb usb
certify
echo content > text
for kind in gost rsa; do
    make_authority $kind
    start_authority
    files
    misbehaviour
    signatures
    recipe
    stop $server
done
detach
echo "timestamps.sh: passed"
