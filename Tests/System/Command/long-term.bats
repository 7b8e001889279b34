#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The command "kanal" makes messages that stay good when all certificates have ended (CAdES-X Long type 1), with authorities
# of GOST and RSA made of "openssl ts", "openssl ca" and "openssl ocsp".
# bats file_tags=command
load ../common
load authority

setup_file() {
    prepare
    start_pcscd
    attach usb usb
    certify
    echo md_gost12_256 > signers.md
    of_each_kind make_authorities
}
make_authorities() {
    make_authority
    start_authority
    cp ../signer* .
    list signers '' signers.md
    list root
}

# Of each kind, with the file "text" alone.
check() {
    rm -f text.*
    echo content > text
    "$@"
}

# list NAME [ENTRY [FILE]]: the list of revoked certificates of the authority with this certificate
# and key; FILE has the name of its hash function.
list() {
    printf "${2:-}${2:+\n}" > index
    printf '[ca]\ndefault_ca = own\n[own]\ndatabase = index\ndefault_md = %s\n' "$(cat "${3:-md}")" > list.cnf
    expect 0 openssl ca -gencrl -config list.cnf -cert "$1.pem" -keyfile "$1.key" -crldays 5 -out "$1.crl"
}

# The authority for time stamps and the lists that a message is raised with.
trust() { echo --timestamp "$url" --ca signers.pem --ca root.pem --crl signers.crl --crl root.crl; }

# good FILE: the message is good for openssl, for BouncyCastle, and when all certificates have ended.
good() {
    local content=()
    [ "$1" = "${1%.p7s}" ] || content=(-content text)
    expect 0 openssl cms -verify -cades -binary -inform DER -in "$1" -CAfile signers.pem -purpose any -out content \
        "${content[@]}"
    by_bouncycastle LongTerm "$1"
    printed '^CAdES-X Long type 1$'
    kanal_exits 0 verify --ca signers.pem --ca root.pem "$1"
    printed '^  signed by CN=Signer.* (CAdES-XLT1)$'
    # All certificates have ended then, and nothing but the message states that they were not revoked.
    kanal_exits 11 verify --offline --ca signers.pem --ca root.pem --at 2199-01-01 "$1" --json
    json '(s := d["files"][0]["signers"][0])["level"] == "XLT1" and s["verdict"] == "goodAtItsTime"'
}

made() {
    # shellcheck disable=SC2046
    as_user 0 sign --cms --level xlt1 $(trust) text
    good text.p7m
    # shellcheck disable=SC2046
    as_user 0 sign --cms --detached --level xlt1 $(trust) text
    good text.p7s
}
@test "messages are made as X Long type 1" { of_each_kind check made; }

# sign WORD...: a new message of the file "text".
sign() { as_user 0 sign --cms --overwrite "$@" text; }

# refused REASON WORD...: the message beside "text" is not extended, for this reason, and stays as it was.
refused() {
    cp text.p7s before
    kanal_exits 1 extend text "${@:2}"
    told "$1"
    cmp -s text.p7s before || fail "a message that was not extended has changed"
}

extended() {
    sign --detached
    local lists=(--crl signers.crl --crl root.crl) authority=(--timestamp "$url" --ca signers.pem --ca root.pem)
    refused 'no list or response states whether the certificate of CN=Signer is revoked' "${authority[@]}" --crl root.crl
    refused 'CN=Signers, the issuer of the certificate of CN=Signer, is not among the trusted' \
        --timestamp "$url" --ca root.pem "${lists[@]}"
    list signers "R	401231235959Z	200101000000Z	$(serial)	unknown	/CN=Signer" signers.md
    refused 'the certificate of CN=Signer was revoked at 2020-01-01' "${authority[@]}" "${lists[@]}"
    list signers '' signers.md
    echo more >> text
    refused 'the content differs from what was signed' "${authority[@]}" "${lists[@]}"
    echo content > text

    # First a time stamp, then all the rest; a signature without a stamp at once.
    kanal_exits 0 extend text "${authority[@]}" --level t
    refused 'it has this form already' "${authority[@]}" --level t
    kanal_exits 0 extend text "${authority[@]}" "${lists[@]}" --json
    json 'd["files"][0]["signature"] == "text.p7s"'
    good text.p7s
    refused 'it has this form already' "${authority[@]}" "${lists[@]}"
    sign --detached --base64
    kanal_exits 0 extend text.p7s "${authority[@]}" "${lists[@]}" --output long.p7s --overwrite
    expect 0 openssl base64 -d -A -in long.p7s -out text.p7s
    good text.p7s
}
@test "messages of other forms are raised in their encoding, or stay as they were" { of_each_kind check extended; }

# The number of the signer's certificate.
serial() { openssl x509 -in signer.pem -noout -serial | sed 's/.*=//'; }

answered() {
    printf 'V\t401231235959Z\t\t%s\tunknown\t/CN=Signer\n' "$(serial)" > answers.index
    expect 0 openssl ocsp -issuer signers.pem -cert signer.pem -no_nonce -reqout question
    expect 0 openssl ocsp -index answers.index -rsigner signers.pem -rkey signers.key -CA signers.pem -ndays 2 \
        -rmd md_gost12_256 -reqin question -respout answer
    sign --detached
    kanal_exits 0 extend text --timestamp "$url" --ca signers.pem --ca root.pem --ocsp answer --crl root.crl
    good text.p7s
}
@test "an answer about the signer (OCSP) goes into the message" { of_each_kind check answered; }
