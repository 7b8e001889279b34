#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The command "kanal" with authorities for time stamps, of GOST and RSA, made of "openssl ts", which can also misbehave: stamps
# of files and of signatures, on a token without a channel. asn1crypto and BouncyCastle look at the messages.
# bats file_tags=command
load ../common
load authority

setup_file() {
    /usr/bin/python3 -c 'import asn1crypto' 2> /dev/null || fail "no asn1crypto: apt-get install python3-asn1crypto"
    prepare
    start_pcscd
    attach usb usb
    certify
    of_each_kind make_authorities
}
make_authorities() {
    make_authority
    start_authority
    cp ../signers.* .
}

# Of each kind, with an authority that behaves, and the file "text" alone.
check() {
    echo good > mode
    rm -f text.*
    echo content > text
    "$@"
}

# stamp STATUS WORD...: has the file "text" stamped.
stamp() { kanal_exits "$1" timestamp text --url "$url" --ca root.pem "${@:2}"; }

# refused MODE REASON WORD...: neither a file nor a signature is stamped, for this reason, and nothing is left.
refused() {
    echo "$1" > mode
    rm -f text.tsr text.p7m
    stamp 1 "${@:3}"
    told "$2"
    [ -z "$(ls text.* 2> /dev/null)" ] || fail "$1: a file is left: $(ls text.*)"
    as_user 1 sign --cms --timestamp "$url" --ca root.pem text "${@:3}"
    told "$2"
    [ -z "$(ls text.* 2> /dev/null)" ] || fail "$1: a file is left: $(ls text.*)"
}

files() {
    local hash
    for hash in streebog256 streebog512 sha256 sha384 sha512; do
        stamp 0 --overwrite --hash $hash --json
        json 'd["files"][0]["timeStamp"] == "text.tsr" and d["files"][0]["authority"] == "CN=tsa"'
        expect 0 openssl ts -verify -data text -in text.tsr -CAfile root.pem
        kanal_exits 0 verify --ca root.pem text.tsr
        printed '^text.tsr: good$'
        printed '^  there before 20.*: time stamp of CN=tsa$'
        kanal_exits 0 verify --ca root.pem text --json
        json 'd["files"][0]["timeStamp"]["authority"] == "CN=tsa"'
    done
    stamp 1
    told 'text.tsr is there already'
    kanal_exits 12 verify --ca plain.pem text.tsr
    told "the time stamp's authority is not trusted"
    kanal_exits 0 verify --signature-only text.tsr
    kanal_exits 2 verify text.tsr
    kanal_exits 1 verify --ca root.pem --content root.pem text.tsr
    told 'the time stamp is of other data'
    for mode in modified moved; do
        echo $mode > mode
        stamp 0 --overwrite
    done
    stamp 0 --overwrite --policy 1.2.3.4.5
    stamp 1 --overwrite --policy 1.2.3.4.6
    told 'does not follow the policy'
    stamp 2 --overwrite --policy 1.2.x
    # The program's own request and reply, and the stamp alone.
    expect 0 openssl ts -query -data text -sha256 -cert -no_nonce -out own.tsq
    expect 0 openssl ts -reply -config tsa.cnf -queryfile own.tsq -out own.tsr
    kanal_exits 0 verify --ca root.pem own.tsr --content text
    expect 0 openssl ts -reply -config tsa.cnf -in own.tsr -token_out -out own.tsr
    kanal_exits 0 verify --ca root.pem own.tsr --content text
}
@test "files are stamped and verified, as by openssl ts" { of_each_kind check files; }

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
    [ "$(wc -l < requests)" -lt 100 ] || fail "an endless circle"
}
@test "an authority that misbehaves is named with the cause, and nothing is written" { of_each_kind check misbehaviour; }

# asn1crypto on the structure of a message, and BouncyCastle on a message with its content in the file "text".
structure() {
    expect 0 /usr/bin/python3 "$root/Tests/Programs/Messages/time-stamped.py" "$1"
    printed '^CAdES-T$'
}
bouncycastle() {
    by_bouncycastle TimeStamped "$1" text
    printed '^CAdES-T$'
}

signatures() {
    local form
    for form in '' --detached; do
        # shellcheck disable=SC2086
        as_user 0 sign --cms $form --timestamp "$url" --ca root.pem text
        local message=text.p7m
        [ -z "$form" ] || message=text.p7s
        # shellcheck disable=SC2046
        expect 0 openssl cms -verify -cades -binary -inform DER -in $message -CAfile signers.pem -purpose any -out content \
            $([ -z "$form" ] || echo -content text)
        structure $message
        [ -z "$form" ] || bouncycastle $message
        kanal_exits 0 verify --ca signers.pem --ca root.pem $message
        printed '(CAdES-T)$'
        printed '^  signed before 20.*, certificate valid then: time stamp of CN=tsa$'
        # All certificates have expired then.
        kanal_exits 11 verify --ca signers.pem --ca root.pem --at 2199-01-01 $message --json
        json '(s := d["files"][0]["signers"][0])["level"] == "T" and "fault" not in s["timeStamps"][0]'
        # An authority that is not trusted makes nothing better.
        kanal_exits 0 verify --ca signers.pem $message --json
        json '(s := d["files"][0]["signers"][0])["level"] == "BES" and s["timeStamps"][0]["fault"] == "untrusted"'
        kanal_exits 12 verify --ca signers.pem --at 2199-01-01 $message
        told "expired at .*; the time stamp counts for nothing: the time stamp's authority is not trusted"
    done
}
@test "signatures are stamped, in order for asn1crypto and BouncyCastle, and stay good when all certificates have expired" { of_each_kind check signatures; }

# A document that is verified when the certificates of its signer and of the authority have ended, as docs/Recipes.md has it.
recipe() {
    rm -f contract.pdf*
    cp text contract.pdf
    as_user 0 sign --cms --detached --key signer --timestamp "$url" --ca root.pem contract.pdf
    kanal_exits 0 verify --ca signers.pem --ca root.pem contract.pdf
    kanal_exits 11 verify --ca signers.pem --ca root.pem --at 2036-01-01 contract.pdf
    printed '^  signed before 20.*, certificate valid then: time stamp of CN=tsa$'
    # Without the stamp it is not good then.
    as_user 0 sign --cms --detached --key signer contract.pdf --overwrite
    kanal_exits 12 verify --ca signers.pem --ca root.pem --at 2036-01-01 contract.pdf
    told 'expired at '
}
@test "a document is good after its certificates have ended because of its stamp" { of_each_kind check recipe; }
