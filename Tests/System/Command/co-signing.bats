#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Messages with several signers and with countersignatures, of keys of GOST, RSA and P-256 on a token and of OpenSSL's, in
# either order. OpenSSL with the engine gost verifies them, and BouncyCastle of libbcpkix-java.
# bats file_tags=command
load ../common
load command

setup_file() {
    [ -e /usr/share/java/bcpkix.jar ] || fail "no BouncyCastle: apt-get install libbcpkix-java"
    prepare
    start_pcscd
    expect 0 openssl req -x509 -newkey gost2012_256 -pkeyopt paramset:A -nodes -keyout root.key -out root.pem -days 30 \
        -subj /CN=Root -addext basicConstraints=CA:true
    head -c 1000 /dev/urandom > message
    attach usb usb
    expect 0 javac -cp "$bouncy_castle" -d . "$root/Tests/Programs/Messages/Signers.java"
    keys
}

cms() { expect 0 openssl cms -verify -cades -binary -inform DER -CAfile root.pem -purpose any -out content "$@"; }
bouncy_castle=.$(printf ':/usr/share/java/%s.jar' bcpkix bcprov bcutil)
bouncy() { expect 0 java -cp "$bouncy_castle" Signers "$@"; }

issue() { expect 0 openssl x509 -req -in "$1" -CA root.pem -CAkey root.key -CAcreateserial -out "$2" -days 30; }

# A key and a certificate on the token, and of a file.
kinds=(gost256 rsa2048 p256)
declare -gA new=([gost256]='gost2012_256 -pkeyopt paramset:A' [rsa2048]=rsa:2048
    [p256]='ec -pkeyopt ec_paramgen_curve:prime256v1')
declare -gA hash=([gost256]=md_gost12_256 [rsa2048]=sha256 [p256]=sha256)
keys() {
    local kind
    for kind in "${kinds[@]}"; do
        as_user 0 key generate --kind "$kind" --label "$kind"
        as_user 0 cert request --key "$kind" --subject "CN=Token $kind" --output request.pem --overwrite
        issue request.pem "$kind.pem"
        as_user 0 cert import "$kind.pem" --label "$kind"
        # shellcheck disable=SC2086
        expect 0 openssl req -newkey ${new[$kind]} -nodes -keyout "file-$kind.key" -out request.pem -subj "/CN=File $kind"
        issue request.pem "file-$kind.pem"
    done
}

# theirs COMMAND KIND OPTION...: OpenSSL signs by the file's key of a kind.
theirs() {
    expect 0 openssl cms "$1" -cades -binary -outform DER -signer "file-$2.pem" -inkey "file-$2.key" -md "${hash[$2]}" "${@:3}"
}

# Whether all accept the message of these two signers, and OpenSSL returns the content.
accepted() {
    local content=() file=$1
    [ "$2" = attached ] || content=(-content message)
    cms -in "$file" "${content[@]}"
    cmp content message || fail "OpenSSL reads another content"
    content=()
    [ "$2" = attached ] || content=(message)
    bouncy "$file" "${content[@]}"
    [ "$(grep -c '^signer .* good$' output)" = 2 ] || fail "BouncyCastle: $(cat output)"
    content=()
    [ "$2" = attached ] || content=(--content message)
    kanal_exits 0 verify --ca root.pem "$file" "${content[@]}"
    printed "signed by CN=Token $3"
    printed "signed by CN=File $4"
}

@test "a message has signers of each kind, in either order, with the content in the message and beside it" {
    local ours other place nodetach form beside
    for ours in "${kinds[@]}"; do
        for other in "${kinds[@]}"; do
            for place in attached detached; do
                nodetach=() form=(--detached) beside=(--content message)
                if [ $place = attached ]; then nodetach=(-nodetach) form=() beside=(); fi
                theirs -sign "$other" "${nodetach[@]}" -in message -out both.p7s
                as_user 0 sign --add both.p7s --key "$ours" "${beside[@]}"
                accepted both.p7s $place "$ours" "$other"
                # OpenSSL copies the content's digest from a signer with the same hash function.
                [ "${hash[$ours]}" = "${hash[$other]}" ] || continue
                as_user 0 sign --cms "${form[@]}" message --key "$ours" --output ours.p7s --overwrite
                theirs -resign "$other" "${nodetach[@]}" -inform DER -in ours.p7s -out both.p7s
                accepted both.p7s $place "$ours" "$other"
            done
        done
    done
}

@test "the encoding of a message stays, and several keys sign in one run" {
    local form
    theirs -sign gost256 -in message -nodetach -stream -out pieces.p7m
    as_user 0 sign --add pieces.p7m --key p256
    accepted pieces.p7m attached p256 gost256
    [ "$(head -c 2 pieces.p7m | od -An -tx1)" = ' 30 80' ] || fail "not of indefinite length any more"
    theirs -sign gost256 -in message -out beside.p7s
    openssl base64 -in beside.p7s -out message.sig
    as_user 0 sign --add message --key rsa2048
    openssl base64 -d -in message.sig -out beside.p7s
    accepted beside.p7s detached rsa2048 gost256
    as_user 0 sign --cms --detached --base64 --extension .sig --overwrite message --key gost256 --key p256
    kanal_exits 0 verify --ca root.pem message
    [ "$(grep -c 'signed by CN=Token' output)" = 2 ] || fail "not two signers: $(cat output)"
    openssl base64 -d -A -in message.sig -out beside.p7s
    cms -in beside.p7s -content message
}

@test "the certificates up to the root go with a message" {
    as_user 0 sign --cms message --key gost256 --chain --certificate root.pem --output chain.p7m
    openssl cms -cmsout -print -in chain.p7m -inform DER -noout > output
    printed 'subject: CN=Root'
    as_user 0 sign --cms message --key gost256 --chain --output alone.p7m
    openssl cms -cmsout -print -in alone.p7m -inform DER -noout > output
    not_printed 'subject: CN=Root'
}

@test "BouncyCastle verifies countersignatures, and OpenSSL what they are of" {
    local kind other
    for kind in "${kinds[@]}"; do
        for other in "${kinds[@]}"; do
            theirs -sign "$other" -in message -nodetach -out counter.p7m
            as_user 0 sign --countersign counter.p7m --key "$kind"
            cms -in counter.p7m
            bouncy counter.p7m
            printed "^signer CN=File $other good$"
            printed "^countersigner CN=Token $kind good$"
            kanal_exits 0 verify --ca root.pem counter.p7m
            printed "countersigned by CN=Token $kind"
        done
    done
    as_user 0 sign --add counter.p7m --key rsa2048
    as_user 0 sign --countersign --signer 'Token rsa2048' counter.p7m --key gost256
    bouncy counter.p7m
    [ "$(grep -c '^signer .* good$' output)" = 2 ] || fail "BouncyCastle: $(cat output)"
    [ "$(grep -c '^countersigner .* good$' output)" = 2 ] || fail "BouncyCastle: $(cat output)"
}

@test "a countersignature of BouncyCastle is verified" {
    openssl pkcs8 -topk8 -nocrypt -in file-rsa2048.key -outform DER -out key.der
    openssl x509 -in file-rsa2048.pem -outform DER -out certificate.der
    as_user 0 sign --cms message --key gost256 --output ours.p7m --overwrite
    bouncy ours.p7m key.der certificate.der theirs.p7m
    kanal_exits 0 verify --ca root.pem --certificate file-rsa2048.pem theirs.p7m
    printed 'countersigned by CN=File rsa2048, who says'
    kanal_exits 0 verify --ca root.pem theirs.p7m
    printed "countersigned by an unknown subject, who says it was at .*; not trusted: a signer's certificate is missing"
}

# More bytes than the command may take: 64 MiB.
@test "a signer is put into a message of 96 MiB in little memory" {
    truncate -s 96M large
    printf 'the end' >> large
    as_user 0 sign --cms large --key p256 --output large.p7m
    expect 0 python3 -c 'import resource, subprocess, sys
status = subprocess.call(sys.argv[1:], stdin=subprocess.DEVNULL)
memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
sys.exit(status if memory <= 64 else f"{memory} MiB")' "$kanal" sign --add large.p7m --key rsa2048 "${user[@]}"
    kanal_exits 0 verify --ca root.pem large.p7m --output content --overwrite
    cmp content large || fail "another content"
    [ "$(grep -c 'signed by CN=Token' output)" = 2 ] || fail "not two signers: $(cat output)"
    rm large* content
}

# The string comes in JSON, and goes back signed, with the content in the message, in base64.
@test "a string is signed for a marking system's login" {
    printf %s 'QWRFVZJTDOIPUFAKNXGELYCMSHB' > string
    "$kanal" sign --cms --base64 --key gost256 "${user[@]}" - < string > signed 2> output || fail "$(cat output)"
    [ "$(wc -l < signed)" = 1 ] || fail "not one line"
    openssl base64 -d -A -in signed -out signed.p7m
    cms -in signed.p7m
    cmp content string || fail "another string was signed"
}
