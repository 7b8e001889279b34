#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# PDF files that Examples/PDF/sign.py signs with keys on a token: by PKCS #11, and by messages of the command "kanal". pyHanko and
# pdfsig of poppler-utils verify them, OpenSSL with the engine gost their messages, and "kanal verify --pdf" both.
# bats file_tags=command
load ../common
load authority

pyhanko=$root/.build/pyhanko/bin/python
keys=(rsa2048 p256 gost256 gost512)

setup_file() {
    command -v pdfsig > /dev/null || fail "no pdfsig: apt-get install poppler-utils"
    "$root/Tests/Scripts/pypi.sh" pyhanko "$root/Examples/PDF/requirements.txt" 3>&- \
        || fail "pyHanko cannot be installed: run Tests/Scripts/pypi.sh where there is a network"
    prepare
    start_pcscd
    attach usb usb
    kind rsa
    make_authority
    start_authority
    keep url
    local key
    for key in "${keys[@]}"; do
        as_user 0 key generate --kind "$key" --label "$key"
        as_user 0 cert request --key "$key" --subject "CN=$key" --output request.pem --overwrite
        expect 0 openssl x509 -req -in request.pem -CA root.pem -CAkey root.key -CAcreateserial -out "$key.pem" -days 30 \
            -extfile <(echo keyUsage=critical,digitalSignature,nonRepudiation)
        as_user 0 cert import "$key.pem" --label "$key"
    done
    pdf make contract.pdf
}

pdf() { expect 0 "$pyhanko" "$root/Tests/Programs/Messages/pdf.py" "$@"; }

# signed KEY WORD...: has "contract.pdf" signed, as KEY.pdf.
signed() {
    rm -f "$1.pdf"
    PATH=${kanal%/*}:$PATH expect 0 "$pyhanko" "$root/Examples/PDF/sign.py" --module "$module" "${@:2}" "$1" contract.pdf "$1.pdf"
}

# accepted KEY [STAMPED]: all who know the key's algorithm accept KEY.pdf, and the message has the attributes of PAdES.
accepted() {
    if [[ $1 != gost* ]]; then
        pdf verify "$1.pdf" root.pem
        printed '^good ENTIRE_FILE NONE$'
        printed '^attributes content_type message_digest signing_certificate_v2$'
        if [ -n "${2:-}" ]; then printed '^stamp good$'; else not_printed '^stamp'; fi
    fi
    expect 0 pdfsig -nocert "$1.pdf"
    printed 'Total document signed'
    printed 'ETSI.CAdES.detached'
    [[ $1 == gost* ]] || printed 'Signature is Valid'
    pdf parts "$1.pdf"
    expect 0 openssl cms -verify -cades -binary -inform DER -in message -content content -CAfile root.pem -purpose any -out /dev/null
    kanal_exits 0 verify --pdf --ca root.pem "$1.pdf"
    printed "^$1.pdf: good$"
    printed "signed by CN=$1 (CAdES-${2:-BES})"
}

@test "by PKCS #11: all verify keys of RSA and P-256, without a time stamp and with one" {
    local key
    for key in rsa2048 p256; do
        signed $key
        accepted $key
        signed $key --timestamp "$url"
        accepted $key T
    done
}

@test "by messages of kanal: all verify keys of each kind, without a time stamp and with one" {
    local key
    for key in "${keys[@]}"; do
        signed "$key" --kanal
        accepted "$key"
        signed "$key" --kanal --timestamp "$url" --ca root.pem
        accepted "$key" T
    done
}

# refused REASON FILE: "kanal verify" does not accept it.
refused() {
    kanal_exits 1 verify --pdf --ca root.pem "$2"
    told "$1"
}

@test "a changed byte, an update behind the signature and another message are refused, with the cause" {
    signed p256 --kanal
    cp p256.pdf other.pdf
    signed gost256 --kanal
    kanal_exits 0 verify --pdf --ca root.pem gost256.pdf
    LC_ALL=C sed 's/0 0 100 100 re f/0 0 100 101 re f/' gost256.pdf > changed.pdf
    refused 'the content differs' changed.pdf
    pdf append gost256.pdf appended.pdf
    refused 'bytes were appended' appended.pdf
    # The remedy.
    $(sed -n 's/.*"\(head -c [0-9]*\)".*/\1/p' messages) appended.pdf > before.pdf
    cmp before.pdf gost256.pdf
    head -c -1 gost256.pdf > truncated.pdf
    refused 'is truncated' truncated.pdf
    # The message is the first hexadecimal string of so many digits.
    exchange() { LC_ALL=C sed -E "s/<[0-9A-F]{8000,}>/<$1>/" gost256.pdf > changed.pdf; }
    local message other
    message=$(grep -aoE '<[0-9A-F]{8000,}>' gost256.pdf | tr -d '<>')
    other=$(grep -aoE '<[0-9A-F]{8000,}>' other.pdf | tr -d '<>')
    exchange "${message%0}1"
    refused 'is not a message in DER with zeros behind it' changed.pdf
    exchange "${message%00}"
    refused 'is truncated' changed.pdf
    exchange "$(printf "%-${#message}s" "${other%"${other##*[!0]}"}" | tr ' ' 0)"
    refused 'the content differs' changed.pdf
    exchange "$(printf "%-${#message}s" "${message%"${message##*[!0]}"}" | tr ' ' 0)"
    cmp changed.pdf gost256.pdf
}
