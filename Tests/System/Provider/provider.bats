#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The commands of the table in docs/Provider.md by the provider "kanal" with GOST keys of a token, without a channel and with
# one; with ROOT=DIRECTORY for another version of OpenSSL. Each does what the table states for this version, and the engine
# gost agrees.
# bats file_tags=share
load ../common
load ../containers
load provider

setup_file() {
    prepare
    start_pcscd
    provider_settings
    head -c 1000 /dev/urandom > message
    head -c 1000 /dev/urandom > other
    head -c 600001 /dev/urandom > long
    echo 'basicConstraints = CA:FALSE' > issued.cnf
}

# A token with keys and their certificates, or one that computes nothing, with containers.
bring() {
    local name
    if [ "$identity" = lite ]; then
        with_containers card-one 512-b two-plain
        attach lite lite "${containers[@]}"
        return
    fi
    attach_paired
    uri="pkcs11:serial=$serial"
    keep uri
    generate 01 gost256 GOSTR3410-2012-256:A --usage-derive
    generate 02 gost512 GOSTR3410-2012-512:A --usage-derive
    generate 03 signing GOSTR3410-2012-256:A
    for name in gost256 gost512 signing; do
        by 0 pkey -in "$uri;object=$name$ask" -pubout -out $name.pub
        by 0 req -x509 -key "$uri;object=$name$ask" -subj /CN=$name -days 30 -out $name.pem
    done
}

# ---- The table of docs/Provider.md ----

# Its column for this version of OpenSSL, and its rows: a command, and "yes", or "no".
column() { case $version in 3.[01].*) echo 3 ;; 3.*) echo 4 ;; *) echo 5 ;; esac; }
rows() {
    sed '1,/^## Commands that were tried/d; /^## /,$d' "$root/docs/Provider.md" \
        | awk -F ' *[|] *' -v column="$(column)" '$2 ~ /^`/ { gsub("`", "", $2); print $2 "|" $column }'
}

# attempt COMMAND LABEL DIGEST KEY: whether the command does its work; gost-engine has to agree with what it has made.
does() { openssl_with "$work/provider.cnf" "$@" > output 2>&1 < /dev/null; }
attempt() {
    local name=$2 hash=$3 key=$4
    case $1 in
    'dgst')
        does dgst -$hash -binary -out digest message && does dgst -$hash -out ours message \
            && agrees dgst -$hash -out theirs message && cmp ours theirs
        ;;
    'pkey -pubout') does pkey -in "$key" -pubout -out $name.pub && agrees pkey -pubin -in $name.pub -noout ;;
    'pkey -text') does pkey -in "$key" -noout -text && printed 'Parameter set: id-' ;;
    'req -new') does req -new -key "$key" -subj /CN=request -out request.pem && agrees req -in request.pem -verify -noout ;;
    'req -verify') does req -in request.pem -verify -noout && printed 'verify OK' ;;
    'req -x509') does req -x509 -key "$key" -subj /CN=$name -days 30 -out $name.pem ;;
    'verify -check_ss_sig')
        does verify -check_ss_sig -CAfile $name.pem $name.pem && agrees verify -check_ss_sig -CAfile $name.pem $name.pem
        ;;
    'x509 -text') does x509 -in $name.pem -noout -text && printed 'Parameter set: id-' ;;
    'dgst -sign')
        does dgst -$hash -sign "$key" -out signature message && agrees dgst -$hash -verify $name.pub -signature signature message
        ;;
    'dgst -verify')
        does dgst -$hash -verify $name.pub -signature signature message \
            && by 1 dgst -$hash -verify $name.pub -signature signature other
        ;;
    'pkeyutl -sign')
        does pkeyutl -sign -inkey "$key" -in digest -out signature \
            && agrees pkeyutl -verify -pubin -inkey $name.pub -in digest -sigfile signature
        ;;
    'pkeyutl -verify') does pkeyutl -verify -pubin -inkey $name.pub -in digest -sigfile signature ;;
    'pkeyutl -sign -rawin') does pkeyutl -sign -rawin -inkey "$key" -in message -out signature ;;
    'pkeyutl -verify -rawin') does pkeyutl -verify -rawin -pubin -inkey $name.pub -in message -sigfile signature ;;
    'pkeyutl -derive')
        does pkeyutl -derive -inkey "$key" -peerkey "$name.pub" -pkeyopt hexukm:0102030405060708 -out ours
        ;;
    'x509 -req -CAkey')
        does x509 -req -in request.pem -CA $name.pem -CAkey "$key" -set_serial 5 -days 30 -extfile issued.cnf -out issued.pem \
            && agrees verify -CAfile $name.pem issued.pem
        ;;
    'verify') does verify -CAfile $name.pem issued.pem ;;
    'storeutl') does storeutl -noout "$uri;object=$name$ask" && printed 'Total found: 2' ;;
    'cms -sign' | 'cms -sign -cades')
        does ${1% -cades} ${1#cms -sign} -nodetach -inkey "$key" -signer $name.pem -in message -binary -outform der -out signed \
            && agrees cms -verify ${1#cms -sign} -inform der -in signed -CAfile $name.pem -purpose any -binary -out opened
        ;;
    # Signatures of gost-engine, and of the provider, if it could.
    'cms -verify' | 'cms -verify -cades')
        agrees cms -sign ${1#cms -verify} -nodetach -md $hash -inkey $name.key -signer $name-file.pem -in message -binary \
            -outform der -out theirs
        does $1 -inform der -in theirs -CAfile $name-file.pem -purpose any -binary -out opened && cmp message opened \
            && { ! is_since 3.2 || does $1 -inform der -in signed -CAfile $name.pem -purpose any -binary -out opened; }
        ;;
    'cms -decrypt')
        agrees cms -encrypt -binary -in message -outform der -out enveloped -gost89 $name.pem
        does cms -decrypt -inkey "$key" -recip $name.pem -inform der -in enveloped -out opened && cmp message opened
        ;;
    'cms -encrypt') does cms -encrypt -binary -in message -outform der -out enveloped -gost89 $name.pem ;;
    'smime -sign') does smime -sign -nodetach -inkey "$key" -signer $name.pem -in message -binary -outform der -out signed ;;
    *) fail "the page has a command that is not tried: $1" ;;
    esac
}

# Tries all commands with a key: its label, its digest, and its kind for gost-engine.
commands() {
    local name=$1 command told count=0
    agrees genpkey -algorithm $3 -pkeyopt paramset:A -out $name.key
    agrees req -new -x509 -$2 -key $name.key -subj "/CN=$name file" -days 30 -out $name-file.pem
    while IFS='|' read -r command told; do
        if attempt "$command" $name $2 "$uri;object=$name$ask"; then
            [ "$told" = yes ] || fail "$command works with $version, and the page says \"$told\""
            count=$((count + 1))
        else
            [ "$told" = no ] || fail "$command: $(cat output)"
        fi
    done < <(rows)
    [ $count -ge 21 ] || fail "the page has $count commands for $version"
}

# Texts enciphered by others are opened, also messages of several sections of a key.
opens() {
    local name=$1 key="$uri;object=$1$ask" cipher file ukm
    for cipher in gost89 kuznyechik-ctr-acpkm magma-ctr-acpkm; do
        for file in message long; do
            agrees cms -encrypt -binary -in $file -outform der -out enveloped -$cipher $name.pem
            by 0 cms -decrypt -inkey "$key" -recip $name.pem -inform der -in enveloped -out opened
            cmp $file opened || fail "CMS: $name $cipher was opened to something else"
        done
    done
    agrees genpkey -algorithm ${2%%:*} -pkeyopt paramset:${2#*:} -out peer.key
    agrees pkey -in peer.key -pubout -out peer.pub
    for ukm in 0102030405060708 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f; do
        by 0 pkeyutl -derive -inkey "$key" -peerkey peer.pub -pkeyopt hexukm:$ukm -out ours
        agrees pkeyutl -derive -inkey peer.key -peerkey $name.pub -pkeyopt ukmhex:$ukm -out theirs
        cmp ours theirs || fail "$name agrees on something else with UKM $ukm"
    done
}

# Certificates, requests and revocation lists of others, on all curves; authentication codes with the digests.
others() {
    local type set hash
    for type in gost2001:A:md_gost94 gost2001:B:md_gost94 gost2001:C:md_gost94 gost2001:XA:md_gost94 \
        gost2012_256:A:md_gost12_256 gost2012_256:B:md_gost12_256 gost2012_256:C:md_gost12_256 \
        gost2012_256:TCA:md_gost12_256 gost2012_256:TCB:md_gost12_256 gost2012_256:TCC:md_gost12_256 \
        gost2012_256:TCD:md_gost12_256 gost2012_512:A:md_gost12_512 gost2012_512:B:md_gost12_512 \
        gost2012_512:C:md_gost12_512; do
        IFS=: read -r type set hash <<< "$type"
        agrees genpkey -algorithm $type -pkeyopt paramset:$set -out other.key
        agrees req -new -x509 -$hash -key other.key -subj "/CN=$type $set" -days 30 -out other.pem
        by 0 verify -check_ss_sig -CAfile other.pem other.pem
        agrees req -new -$hash -key other.key -subj /CN=request -out request.pem
        by 0 req -in request.pem -verify -noout
        agrees dgst -$hash -sign other.key -out signature message
        by 0 x509 -in other.pem -pubkey -noout
        cp output other.pub
        by 0 dgst -$hash -verify other.pub -signature signature message
        by 1 dgst -$hash -verify other.pub -signature signature other
        agrees cms -sign -nodetach -md $hash -inkey other.key -signer other.pem -in message -binary -outform der -out signed
        by 0 cms -verify -inform der -in signed -CAfile other.pem -purpose any -binary -out opened
    done
    by 0 dgst -md_gost12_256 -hmac key -r message
    cp output ours
    agrees dgst -md_gost12_256 -hmac key -r message
    cmp ours output || fail "HMAC is another"
}

# Messages by key agreement. The provider agrees on their keys; but OpenSSL's core uses a GOST key of any provider for key
# transport alone, and refuses them all.
agreements() {
    local size key
    python3 "$root/Tests/System/Provider/vectors.py" "$root/Tests/Vectors"
    for size in 256 512; do
        key=agreed-$size
        by 0 pkey -inform der -in $key.key -out own.key
        by 0 pkey -pubin -inform der -in $key.spki -out sender.pub
        by 0 pkeyutl -derive -inkey own.key -peerkey sender.pub -pkeyopt "hexukm:$(cat $key.ukm)" -out secret
        cmp secret $key.kek || fail "$key: the provider agrees on another key"
        by 0 req -x509 -key own.key -set_serial 1 -subj "$(cat $key.subject)" -days 30 -out own.pem
        unmatched own.key own.pem $key.der
        key=bouncycastle-$size
        cp "$root/Tests/Vectors/files/$key".{key,cer} "$root/Tests/Vectors/files/bouncycastle-agreed-$size.p7m" .
        by 0 pkey -inform der -in $key.key -out own.key
        by 0 x509 -inform der -in $key.cer -out own.pem
        unmatched own.key own.pem bouncycastle-agreed-$size.p7m
    done
}
# unmatched KEY CERTIFICATE MESSAGE: OpenSSL's core refuses the message, and writes nothing.
unmatched() {
    local options
    for options in "-recip $2" "" "-recip $2 -debug_decrypt"; do
        by 4 cms -decrypt -inkey "$1" $options -inform der -in "$3" -out noise
        printed 'no matching recipient'
        [ ! -s noise ] || fail "noise was written in place of the message $3"
    done
}

# The errors for a program that looks for one thing on an empty token, of this kind.
empties() {
    detach
    rm -rf "$1"
    identity=$1
    attach_paired
    # The next test brings a token with keys.
    identity=
    keep identity
    local uri="pkcs11:serial=$serial"
    by 1 pkey -in "$uri;type=private$ask" -noout
    printed 'kanal.*the token has no private key'
    by 1 pkey -in "$uri;type=cert$ask" -noout
    printed 'kanal.*the URI has another type; a private key is wanted'
    by 1 x509 -in "$uri" -noout
    printed 'kanal.*the token has no certificate'
    by 1 x509 -in "$uri;type=private$ask" -noout
    printed 'kanal.*the URI has another type; a certificate is wanted'
    by 0 storeutl -noout "$uri$ask"
    not_printed kanal
}

# Beside the provider of gost-engine, where OpenSSL has one, for OpenSSL 3: in an order in which that one is asked first, the
# message is refused.
beside_gostprov() {
    local order installed status
    installed=$(echo "$ROOT"/usr/lib/*/ossl-modules/gostprov.so)
    [ -e "$installed" ] || skip "gostprov is not installed"
    ! is_since 4 || skip "gostprov is for OpenSSL 3"
    cp "$installed" lib/ossl-modules
    by 0 genpkey -algorithm gost2012_256 -pkeyopt paramset:TCA -out own.key
    by 0 req -x509 -new -key own.key -subj /CN=own -days 30 -out own.pem
    agrees cms -encrypt -binary -in message -outform der -out enveloped -gost89 own.pem
    set -- cms -decrypt -inkey own.key -recip own.pem -inform der -in enveloped -out opened
    for order in 'kanal gostprov' 'gostprov kanal'; do
        sed "s/^kanal = kanal$/${order% *} = kanal\n${order#* } = kanal/" provider.cnf > beside.cnf
        status=$(if [ "$order" = 'gostprov kanal' ] || is_since 3.6; then echo 4; else echo 0; fi)
        by_settings beside.cnf $status "$@"
        by_settings beside.cnf 0 "$@" -propquery '?provider=kanal'
        cmp message opened
        sed -i 's/^\[main\]$/&\nalg_section = algorithms/; $a [algorithms]\ndefault_properties = ?provider=kanal' beside.cnf
        by_settings beside.cnf 0 "$@"
        cmp message opened
    done
}

# Of what OpenSSL's core would open to noise each is refused: a key that may not agree, and one of another kind.
refuses() {
    agrees cms -encrypt -binary -in message -outform der -out enveloped -gost89 signing.pem
    unopened "$uri;object=signing$ask" signing.pem 'C_DeriveKey: CKR_KEY_FUNCTION_NOT_PERMITTED'
    unopened "$uri;object=gost256$ask" signing.pem 'C_UnwrapKey: CKR_'
    unopened "$uri;object=gost512$ask" signing.pem 'public key is not of the key.s type'
}

# Keys of containers of CryptoPro CSP, on a token that computes nothing: the provider signs a file, and a message where this
# version of OpenSSL lets a provider's key do that, and opens one.
contained() {
    local name key hash
    for name in card-one 512-b two-plain; do
        vector $name
        hash=$([ $name = 512-b ] && echo md_gost12_512 || echo md_gost12_256)
        key="pkcs11:serial=$serial;id=$(sed 's/../%&/g' id);type=private?pin-value=$pin"
        by 0 dgst -$hash -sign "$key" -out signature message
        agrees dgst -$hash -verify public.pem -signature signature message
        if is_since 3.2; then
            by 0 cms -sign -nodetach -inkey "$key" -signer certificate.pem -in message -binary -outform der -out signed
            agrees cms -verify -inform der -in signed -noverify -binary -out opened
            cmp message opened || fail "$name: another message was signed"
        fi
        agrees cms -encrypt -binary -in message -outform der -out enveloped -gost89 certificate.pem
        by 0 cms -decrypt -inkey "$key" -recip certificate.pem -inform der -in enveloped -out opened
        cmp message opened || fail "$name: the message was opened to something else"
    done
}


@test "keys of gost-engine on fourteen curves verify, and authentication codes agree" { others; }
@test "messages by key agreement of pygost and BouncyCastle have no matching recipient" { agreements; }
@test "messages are opened by ?provider=kanal beside gostprov" { beside_gostprov; }
@test "keys of containers sign, and open messages" { on lite contained; }

@test "usb: a token without keys and certificates is called so" { empties usb; }
@test "usb: the page's commands work, or not, with a key of 256 bits" { on usb commands gost256 md_gost12_256 gost2012_256; }
@test "usb: the page's commands work, or not, with a key of 512 bits" { on usb commands gost512 md_gost12_512 gost2012_512; }
@test "usb: a key of 256 bits opens messages in three ciphers, and agrees" { on usb opens gost256 gost2012_256:TCA; }
@test "usb: a key of 512 bits opens messages in three ciphers, and agrees" { on usb opens gost512 gost2012_512:A; }
@test "usb: keys that open no message are refused with the cause" { on usb refuses; }

@test "bt: a token without keys and certificates is called so" { empties bt; }
@test "bt: the page's commands work, or not, with a key of 256 bits" { on bt commands gost256 md_gost12_256 gost2012_256; }
@test "bt: the page's commands work, or not, with a key of 512 bits" { on bt commands gost512 md_gost12_512 gost2012_512; }
@test "bt: a key of 256 bits opens messages in three ciphers, and agrees" { on bt opens gost256 gost2012_256:TCA; }
@test "bt: a key of 512 bits opens messages in three ciphers, and agrees" { on bt opens gost512 gost2012_512:A; }
@test "bt: keys that open no message are refused with the cause" { on bt refuses; }
