#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Messages of "kanal" and of OpenSSL with the provider "kanal", both ways: signed by one and by several, countersigned,
# encrypted, with time stamps; with ROOT=DIRECTORY for another version of OpenSSL. GOST, RSA and P-256, of keys on a token. Each
# works, or not, as in the table of docs/Forms.md for this version.
# bats file_tags=share
load ../common
load provider
load ../Command/authority

kinds=(gost256 gost512 rsa2048 p256)
declare -gA new=([gost256]='gost2012_256 -pkeyopt paramset:A' [gost512]='gost2012_512 -pkeyopt paramset:A' [rsa2048]=rsa:2048
    [p256]='ec -pkeyopt ec_paramgen_curve:prime256v1')

# An authority of GOST in files; and, of each kind, a key on the token, one of a file, and their certificates.
setup_file() {
    local kind agree
    prepare
    start_pcscd
    provider_settings
    head -c 1000 /dev/urandom > text
    head -c 600000 /dev/urandom > long
    attach usb usb
    kind gost
    make_authority
    for kind in "${kinds[@]}"; do
        agree=--agree
        [ "$kind" != rsa2048 ] || agree=
        as_user 0 key generate --kind "$kind" --label "$kind" $agree
        as_user 0 cert request --key "$kind" --subject "CN=Token $kind" --output request.pem --overwrite
        certify_request "$kind"
        as_user 0 cert import "$kind.pem" --label "$kind"
        # shellcheck disable=SC2086
        agrees req -newkey ${new[$kind]} -nodes -keyout "file-$kind.key" -out request.pem -subj "/CN=File $kind"
        certify_request "file-$kind"
    done
    as_user 0 key generate --kind rsa2048 --label stamps
    as_user 0 cert request --key stamps --subject CN=Stamps --output request.pem --overwrite
    certify_request stamps -extfile tsa.extensions
    # A key file names its key alone.
    uri_file 'pkcs11:object=stamps;type=private' stamps.key
    printf '%s\n' "PIN = $pin" "SERIAL = $serial" > pin.cnf
    sed -i '/^\[kanal\]$/r pin.cnf' provider.cnf
}

certify_request() {
    agrees x509 -req -in request.pem -CA root.pem -CAkey root.key -CAcreateserial -out "$1.pem" -days 30 "${@:2}"
}
uri() { echo "pkcs11:object=$1;type=private?pin-value=$pin"; }

# Whether the core of this version signs messages by a provider's key of this kind.
signs() { case $1 in gost*) is_since 3.2 ;; esac; }
# verified FILE [WORD…]: the provider, and the command, verify a message of the file "text".
verified() {
    by 0 cms -verify -cades -binary -inform der -in "$1" -CAfile root.pem -purpose any -out content "${@:2}"
    cmp text content || fail "another content of $1"
    if [ $# = 1 ]; then kanal_exits 0 verify --ca root.pem "$1"; else kanal_exits 0 verify --ca root.pem "$1" --content text; fi
}
has_signers() { [ "$(grep -c 'signed by CN=' output)" = "$1" ] || fail "not $1 signers: $(cat output)"; }

@test "the provider verifies what kanal signs: by one key, by four, detached, countersigned" {
    local kind
    as_user 0 sign --cms text --key gost256 --key gost512 --key rsa2048 --key p256 --output ours.p7m --overwrite
    verified ours.p7m
    has_signers 4
    for kind in "${kinds[@]}"; do
        as_user 0 sign --cms text --key "$kind" --output ours.p7m --overwrite
        verified ours.p7m
        as_user 0 sign --cms --detached text --key "$kind" --output ours.p7s --overwrite
        verified ours.p7s -content text
        as_user 0 sign --countersign ours.p7m --key p256
        verified ours.p7m
        printed 'countersigned by CN=Token p256'
    done
}

@test "kanal verifies what the provider signs, and each adds signers to the other's messages, as far as this OpenSSL signs" {
    local kind other hold
    for kind in "${kinds[@]}"; do
        hold=0
        signs "$kind" || hold=6
        by $hold cms -sign -cades -binary -nodetach -in text -inkey "$(uri "$kind")" -signer "$kind.pem" -outform der -out theirs.p7m
        [ $hold = 0 ] || continue
        verified theirs.p7m
        other=p256
        [ "$kind" != p256 ] || other=gost256
        as_user 0 sign --add theirs.p7m --key $other
        as_user 0 sign --countersign --signer "Token $kind" theirs.p7m --key gost256
        verified theirs.p7m
        by 0 cms -sign -cades -binary -in text -inkey "$(uri "$kind")" -signer "$kind.pem" -outform der -out theirs.p7s
        verified theirs.p7s -content text
        as_user 0 sign --cms text --key "$kind" --output ours.p7m --overwrite
        by 0 cms -resign -cades -binary -inform der -in ours.p7m -nodetach -inkey "file-$kind.key" -signer "file-$kind.pem" \
            -outform der -out theirs.p7m
        verified theirs.p7m
        has_signers 2
    done
}

# opens KIND WORD…: the provider opens by the token's key what the command encrypts with these options.
opens() {
    kanal_exits 0 encrypt long --to "$1.pem" "${@:2}" --overwrite --output encrypted
    by 0 cms -decrypt -binary -inkey "$(uri "$1")" -recip "$1.pem" -inform der -in encrypted -out opened
    cmp long opened || fail "$*: opened to something else"
}
# encrypts WORD…: the command opens by the token's key what OpenSSL encrypts with these options.
encrypts() {
    by 0 cms -encrypt -binary -in long -outform der -out encrypted "$@"
    as_user 0 decrypt encrypted --output opened --overwrite
    cmp long opened || fail "$*: opened to something else"
}

@test "the provider opens what kanal encrypts to GOST keys, and encrypts nothing to them" {
    local kind cipher
    for kind in gost256 gost512; do
        for cipher in gost28147 kuznyechik magma; do opens $kind --cipher $cipher; done
        by 3 cms -encrypt -binary -in long -outform der -out encrypted -gost89 $kind.pem
    done
}

@test "the provider opens what kanal encrypts to keys of RSA and P-256" {
    local cipher
    for cipher in aes256-gcm aes256-cbc; do
        opens rsa2048 --cipher $cipher
        opens rsa2048 --cipher $cipher --padding pkcs1
        opens p256 --cipher $cipher
    done
}

@test "kanal opens what the provider encrypts to keys of RSA and P-256" {
    local cipher
    for cipher in aes-256-cbc aes-256-gcm; do
        encrypts -$cipher rsa2048.pem
        encrypts -$cipher -recip rsa2048.pem -keyopt rsa_padding_mode:oaep -keyopt rsa_oaep_md:sha256
        encrypts -$cipher p256.pem
    done
}

stamped() {
    by 0 ts -verify -data text -in text.tsr -CAfile root.pem
    kanal_exits 0 verify --ca root.pem text.tsr
    printed "time stamp of CN=$1"
}

@test "the provider stamps by an RSA key of the token, not by a GOST key; stamps of both verify, by kanal, too" {
    local name
    sed 's/= tsa\./= stamps./; /^signer_digest/s/=.*/= sha256/' tsa.cnf > stamps.cnf
    for name in sha256 md_gost12_256; do
        by 0 ts -query -data text -$name -cert -out text.tsq
        by 0 ts -reply -config stamps.cnf -queryfile text.tsq -out text.tsr
        stamped Stamps
        agrees ts -reply -config tsa.cnf -queryfile text.tsq -out text.tsr
        stamped tsa
        # OpenSSL's core writes a refusal in place of a stamp then, with status 0.
        by 0 ts -reply -config tsa.cnf -queryfile text.tsq -out text.tsr
        printed 'PKCS7 routines.*signing not supported for this key type'
    done
}

@test "signatures with a time stamp of GOST verify, as CAdES-T" {
    local kind
    start_authority
    for kind in "${kinds[@]}"; do
        as_user 0 sign --cms text --key "$kind" --timestamp "$url" --ca root.pem --output ours.p7m --overwrite
        verified ours.p7m
        printed '(CAdES-T)$'
    done
}
