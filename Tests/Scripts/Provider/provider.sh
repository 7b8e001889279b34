#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# provider.sh [IDENTITY…]: OpenSSL's commands by the provider "kanal" with GOST keys of a token, without a channel and with
# one; with ROOT=DIRECTORY those of another version of OpenSSL. The engine gost verifies what was signed.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. Tests/Scripts/common.sh
. Tests/Scripts/Provider/settings.sh

generate() {
    expect 0 pkcs11-tool --module "$module" --slot "$slot" --login --pin $pin --keypairgen --id "$1" --label "$2" \
        --key-type "$3" --usage-sign "${@:4}"
}

keys() {
    uri="pkcs11:serial=$serial"
    ask="?pin-value=$pin"
    generate 01 gost256 GOSTR3410-2012-256:A --usage-derive
    generate 02 gost512 GOSTR3410-2012-512:A --usage-derive
}

# The commands for one key: its label, its digest.
commands() {
    local name=$1 hash=$2 key="$uri;object=$1$ask"
    by 0 pkey -in "$key" -pubout -out $name.pub
    agrees pkey -pubin -in $name.pub -noout
    by 0 pkey -in "$key" -noout -text
    printed 'Parameter set: id-'
    by 0 pkey -pubin -in "$uri;object=$name;type=public" -noout -text_pub
    by 0 dgst -$hash -out digest.txt message
    cp digest.txt ours
    agrees dgst -$hash -out digest.txt message
    cmp ours digest.txt || fail "$hash is another digest"
    by 0 dgst -$hash -binary -out digest message
    by 0 dgst -$hash -sign "$key" -out signature message
    by 0 dgst -$hash -verify $name.pub -signature signature message
    agrees dgst -$hash -verify $name.pub -signature signature message
    by 1 dgst -$hash -verify $name.pub -signature signature other
    by 0 pkeyutl -sign -rawin -inkey "$key" -in message -out signature
    by 0 pkeyutl -verify -rawin -pubin -inkey $name.pub -in message -sigfile signature
    by 0 pkeyutl -sign -inkey "$key" -in digest -out signature
    by 0 pkeyutl -verify -pubin -inkey $name.pub -in digest -sigfile signature
    agrees pkeyutl -verify -pubin -inkey $name.pub -in digest -sigfile signature
    by 0 req -new -key "$key" -subj /CN=request -out request.pem
    by 0 req -in request.pem -verify -noout
    printed 'verify OK'
    agrees req -in request.pem -verify -noout
    by 0 req -x509 -key "$key" -subj /CN=$name -days 30 -out $name.pem
    by 0 verify -check_ss_sig -CAfile $name.pem $name.pem
    agrees verify -check_ss_sig -CAfile $name.pem $name.pem
    by 0 x509 -in $name.pem -noout -text
    printed 'Parameter set: id-'
    by 0 x509 -req -in request.pem -CA $name.pem -CAkey "$key" -set_serial 5 -days 30 -extfile issued.cnf \
        -out issued.pem
    by 0 verify -CAfile $name.pem issued.pem
    agrees verify -CAfile $name.pem issued.pem
    passed "$identity: OpenSSL $version: $name: digests, keys, signatures, requests and certificates"
}

messages() {
    local name=$1 key="$uri;object=$1$ask"
    if is_since 3.2; then
        by 0 cms -sign -nodetach -inkey "$key" -signer $name.pem -in message -binary -outform der -out signed
        by 0 cms -verify -inform der -in signed -CAfile $name.pem -purpose any -binary -out opened
        cmp message opened || fail "CMS: other data were signed"
        agrees cms -verify -inform der -in signed -CAfile $name.pem -purpose any -binary -out opened
        by 0 cms -sign -cades -nodetach -inkey "$key" -signer $name.pem -in message -binary -outform der -out signed
        by 0 cms -verify -cades -inform der -in signed -CAfile $name.pem -purpose any -binary -out opened
        agrees cms -verify -cades -inform der -in signed -CAfile $name.pem -purpose any -binary -out opened
        passed "$identity: OpenSSL $version: $name: CMS and CAdES are signed and verified"
    else
        # Written without an algorithm, if at all.
        by 6 cms -sign -nodetach -inkey "$key" -signer $name.pem -in message -binary -outform der -out signed
        passed "$identity: OpenSSL $version: $name: CMS is not signed, which is OpenSSL's own limit"
    fi
}

# What others have enciphered is opened, also messages of several sections of a key.
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
    passed "$identity: OpenSSL $version: $name: messages in three ciphers are opened; VKO and KEG agree"
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
    passed "OpenSSL $version: keys of gost-engine on fourteen curves verify; HMAC"
}

prepare
start_pcscd
provider_settings
version=$(version_of_openssl)
head -c 1000 /dev/urandom > message
head -c 1000 /dev/urandom > other
head -c 600001 /dev/urandom > long
echo 'basicConstraints = CA:FALSE' > issued.cnf
others
for identity in "${@:-usb}"; do
    attach $identity $identity
    if [ $identity = bt ]; then
        configure 'wireless_readers = Virtual PCD *'
        PASSWORD=$password expect 0 "$kanal" pair --password-source env:PASSWORD
    fi
    keys
    for key in gost256:md_gost12_256 gost512:md_gost12_512; do
        commands ${key%:*} ${key#*:}
        messages ${key%:*}
    done
    opens gost256 gost2012_256:TCA
    opens gost512 gost2012_512:A
    detach
done
echo "provider.sh: passed"
