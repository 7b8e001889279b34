#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# provider-messages.sh: messages of "kanal" and of OpenSSL with the provider "kanal", both ways: signed by one and by several,
# countersigned, encrypted, with time stamps; with ROOT=DIRECTORY those of another version of OpenSSL. GOST, RSA and P-256, of
# keys on a token. Each works, or not, as the table of docs/Forms.md says of this version.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. Tests/Scripts/common.sh
. Tests/Scripts/Provider/settings.sh

export PIN=$pin
user=(--pin-source env:PIN)
kinds=(gost256 gost512 rsa2048 p256)
declare -A new=([gost256]='gost2012_256 -pkeyopt paramset:A' [gost512]='gost2012_512 -pkeyopt paramset:A' [rsa2048]=rsa:2048
    [p256]='ec -pkeyopt ec_paramgen_curve:prime256v1')

run() { expect "$1" setsid --wait "$kanal" "${@:2}" < /dev/null; }
as_user() { run "$@" "${user[@]}"; }
uri() { echo "pkcs11:object=$1;type=private?pin-value=$pin"; }
issue() {
    agrees x509 -req -in request.pem -CA root.pem -CAkey root.key -CAcreateserial -out "$1.pem" -days 30 "${@:2}"
}

# A key on the token, one of a file, and their certificates.
keys() {
    local kind agree
    agrees req -x509 -newkey gost2012_256 -pkeyopt paramset:A -nodes -keyout root.key -out root.pem -days 30 -subj /CN=Root \
        -addext basicConstraints=critical,CA:true
    echo extendedKeyUsage=critical,timeStamping > stamps.cnf
    for kind in "${kinds[@]}"; do
        agree=--agree
        [ "$kind" != rsa2048 ] || agree=
        as_user 0 key generate --kind "$kind" --label "$kind" $agree
        as_user 0 cert request --key "$kind" --subject "CN=Token $kind" --output request.pem --overwrite
        issue "$kind"
        as_user 0 cert import "$kind.pem" --label "$kind"
        # shellcheck disable=SC2086
        agrees req -newkey ${new[$kind]} -nodes -keyout "file-$kind.key" -out request.pem -subj "/CN=File $kind"
        issue "file-$kind"
    done
    as_user 0 key generate --kind rsa2048 --label stamps
    as_user 0 cert request --key stamps --subject CN=Stamps --output request.pem --overwrite
    issue stamps -extfile stamps.cnf
    agrees req -newkey gost2012_256 -pkeyopt paramset:A -nodes -keyout file-stamps.key -out request.pem -subj '/CN=File stamps'
    issue file-stamps -extfile stamps.cnf
}

# Whether the core of this version signs messages by a provider's key of this kind.
signs() { case $1 in gost*) is_since 3.2 ;; esac; }
# verified FILE [WORD…]: the provider, and the command, verify a message of the file "text".
verified() {
    by 0 cms -verify -cades -binary -inform der -in "$1" -CAfile root.pem -purpose any -out content "${@:2}"
    cmp text content || fail "another content of $1"
    if [ $# = 1 ]; then run 0 verify --ca root.pem "$1"; else run 0 verify --ca root.pem "$1" --content text; fi
}

# What the command signs is verified by the provider, and what the provider signs by the command, which adds to it.
signatures() {
    local kind other hold signed=
    as_user 0 sign --cms text --key gost256 --key gost512 --key rsa2048 --key p256 --output ours.p7m
    verified ours.p7m
    [ "$(grep -c 'signed by CN=' output)" = 4 ] || fail "not four signers: $(cat output)"
    for kind in "${kinds[@]}"; do
        as_user 0 sign --cms text --key "$kind" --output ours.p7m --overwrite
        verified ours.p7m
        as_user 0 sign --cms --detached text --key "$kind" --output ours.p7s --overwrite
        verified ours.p7s -content text
        as_user 0 sign --countersign ours.p7m --key p256
        verified ours.p7m
        printed 'countersigned by CN=Token p256'
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
        [ "$(grep -c 'signed by CN=' output)" = 2 ] || fail "not two signers: $(cat output)"
        signed+=" $kind"
    done
    passed "OpenSSL $version: signed messages of kanal are verified, of ${kinds[*]}; the provider signs and co-signs by$signed"
}

# opens KIND WORD…: the provider opens by the token's key what the command encrypts with these options.
opens() {
    run 0 encrypt long --to "$1.pem" "${@:2}" --overwrite --output encrypted
    by 0 cms -decrypt -binary -inkey "$(uri "$1")" -recip "$1.pem" -inform der -in encrypted -out opened
    cmp long opened || fail "$*: opened to something else"
}
# encrypts KIND WORD…: the command opens by the token's key what OpenSSL encrypts with these options.
encrypts() {
    by 0 cms -encrypt -binary -in long -outform der -out encrypted "${@:2}"
    as_user 0 decrypt encrypted --output opened --overwrite
    cmp long opened || fail "$*: opened to something else"
}

encryption() {
    local kind cipher
    for kind in gost256 gost512; do
        for cipher in gost28147 kuznyechik magma; do opens $kind --cipher $cipher; done
        by 3 cms -encrypt -binary -in long -outform der -out encrypted -gost89 $kind.pem
    done
    for cipher in aes256-gcm aes256-cbc; do
        opens rsa2048 --cipher $cipher
        opens rsa2048 --cipher $cipher --padding pkcs1
        opens p256 --cipher $cipher
    done
    for cipher in aes-256-cbc aes-256-gcm; do
        encrypts rsa2048 -$cipher rsa2048.pem
        encrypts rsa2048 -$cipher -recip rsa2048.pem -keyopt rsa_padding_mode:oaep -keyopt rsa_oaep_md:sha256
        encrypts p256 -$cipher p256.pem
    done
    passed "OpenSSL $version: encrypted messages: the provider opens those to GOST, RSA and P-256; kanal those to RSA and P-256"
}

# Stamps by an RSA key of the token; by a GOST key of a file of gost-engine, and not by the provider's.
stamps() {
    local name
    for name in stamps file-stamps; do
        printf '%s\n' '[tsa]' 'default_tsa = own' '[own]' 'serial = serial' "signer_cert = $name.pem" "signer_key = $name.key" \
            "signer_digest = $([ $name = stamps ] && echo sha256 || echo md_gost12_256)" 'default_policy = 1.2.3.4.1' \
            'digests = sha256, md_gost12_256, md_gost12_512' > $name.cnf
    done
    echo 1000 > serial
    # A key file names its key alone.
    uri_file 'pkcs11:object=stamps;type=private' stamps.key
    printf '%s\n' "PIN = $pin" "SERIAL = $serial" > pin.cnf
    sed -i '/^\[kanal\]$/r pin.cnf' provider.cnf
    for name in sha256 md_gost12_256; do
        by 0 ts -query -data text -$name -cert -out text.tsq
        by 0 ts -reply -config stamps.cnf -queryfile text.tsq -out text.tsr
        stamped Stamps
        agrees ts -reply -config file-stamps.cnf -queryfile text.tsq -out text.tsr
        stamped 'File stamps'
        # OpenSSL's core writes a refusal in place of a stamp then, with status 0.
        by 0 ts -reply -config file-stamps.cnf -queryfile text.tsq -out text.tsr
        printed 'PKCS7 routines.*signing not supported for this key type'
    done
    passed "OpenSSL $version: time stamps by an RSA key of the token, and the verification of those by a GOST key"
}
# A signature with a stamp of an authority of gost-engine, which the provider reads as CAdES-T.
stamped_signatures() {
    local kind
    cp file-stamps.cnf tsa.cnf
    echo good > mode
    python3 "$root/Tests/Scripts/Command/time-stamps.py" > authority.log 2>&1 &
    others+=($!)
    wait_until test -s port || fail "the authority does not start: $(cat authority.log)"
    for kind in "${kinds[@]}"; do
        as_user 0 sign --cms text --key "$kind" --timestamp "http://127.0.0.1:$(cat port)/" --ca root.pem \
            --output ours.p7m --overwrite
        verified ours.p7m
        printed '(CAdES-T)$'
    done
    passed "OpenSSL $version: signatures with a time stamp are verified, of ${kinds[*]}"
}
stamped() {
    by 0 ts -verify -data text -in text.tsr -CAfile root.pem
    run 0 verify --ca root.pem text.tsr
    printed "time stamp of CN=$1"
}

prepare
start_pcscd
head -c 1000 /dev/urandom > text
head -c 600000 /dev/urandom > long
provider_settings
version=$(version_of_openssl)
attach usb usb
keys
signatures
encryption
stamps
stamped_signatures
echo "provider-messages.sh: passed"
