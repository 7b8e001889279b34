#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# OpenSSL's commands by the engine "kanal" with keys of a token, without a channel and with one. OpenSSL
# verifies the signatures without the token, and enciphers the texts to be opened.
# bats file_tags=apart
load ../common
load engine

setup_file() {
    prepare
    install_engine
    cc -O2 -Wall -Wextra -Werror "$root/Tests/Programs/Engine/timestamp.c" -o timestamp -lcrypto
    start_pcscd
    head -c 1000 /dev/urandom > message
}

openssl_0() { expect 0 openssl "$@"; }

# generate ID LABEL TYPE: a key pair of the token that signs and agrees.
generate() {
    expect 0 pkcs11-tool --module "$module" --slot "$slot" --login --pin $pin --keypairgen --id "$1" --label "$2" \
        --key-type "$3" --usage-sign "${@:4}"
    with 0 openssl pkey -engine kanal -inform engine -pubin -in "$uri;object=$2" -pubout -out "$2.pub"
}

# A token with keys of all kinds, and their certificates.
bring() {
    local name
    attach_paired
    uri="pkcs11:serial=$serial"
    ask="?pin-value=$pin"
    keep uri ask
    generate 01 gost256 GOSTR3410-2012-256:A --usage-derive
    generate 02 gost512 GOSTR3410-2012-512:A --usage-derive
    generate 03 gost2001 GOSTR3410:A --usage-derive
    generate 04 rsa1024 rsa:1024 --usage-decrypt
    generate 05 p256 EC:prime256v1 --usage-derive
    generate 06 signing GOSTR3410-2012-256:B
    for name in gost256 gost512 rsa1024 p256 signing; do
        key req -new -x509 -key "$uri;object=$name$ask" -subj "/CN=$name" -days 30 -out $name.pem
    done
}

# ---- Signatures ----

# signature NAME HASH OPTION...: what OpenSSL signs with a key.
signature() {
    local inkey="$uri;object=$1$ask" hash=$2
    key dgst "-$hash" -sign "$inkey" "${@:3}" -out signature message
    openssl_0 dgst "-$hash" -verify "$1.pub" "${@:3}" -signature signature message
    key dgst "-$hash" -verify "$uri;object=$1" "${@:3}" -signature signature message
    key req -new "-$hash" -key "$inkey" -subj /CN=Kanal "${@:3}" -out request.pem
    openssl_0 req -in request.pem -verify -noout
}

signatures() {
    signature gost256 md_gost12_256
    signature gost512 md_gost12_512
    signature gost2001 md_gost94
    signature rsa1024 sha256
    signature rsa1024 sha256 -sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:digest
    signature p256 sha256
}

messages() {
    local name inkey
    for name in gost256 gost512 rsa1024 p256; do
        inkey="$uri;object=$name$ask"
        key cms -sign -cades -nodetach -inkey "$inkey" -signer $name.pem -in message -binary -outform der -out signed
        openssl_0 cms -verify -inform der -in signed -CAfile $name.pem -purpose any -binary -out opened
        cmp message opened || fail "CMS: other data were signed"
        [ $name != gost256 ] || {
            key smime -sign -nodetach -inkey "$inkey" -signer $name.pem -in message -binary -outform der -out signed
            openssl_0 smime -verify -inform der -in signed -CAfile $name.pem -purpose any -binary -out opened
            cmp message opened || fail "S/MIME: other data were signed"
        }
    done
    key req -new -key "$inkey" -subj /CN=Kanal -out request.pem
    key x509 -req -in request.pem -CA gost256.pem -CAkey "$uri;object=gost256$ask" -CAkeyform engine -CAcreateserial \
        -days 30 -out issued.pem
    openssl_0 verify -CAfile gost256.pem issued.pem
}

# A time stamp of the key, which "openssl ts -reply" cannot use.
stamps() {
    local inkey="$uri;object=gost256$ask"
    key req -new -x509 -key "$inkey" -subj /CN=TSA -addext extendedKeyUsage=critical,timeStamping -days 30 -out tsa.pem
    openssl_0 ts -query -data message -md_gost12_256 -cert -out query
    with 0 ./timestamp "$inkey" tsa.pem query response
    openssl_0 ts -verify -data message -in response -CAfile tsa.pem
    printed 'Verification: OK'
}

# ---- Agreement and decryption ----

encipher() { openssl_0 cms -encrypt -binary -in message -outform der -out enveloped "$@"; }

opens() {
    local name cipher
    for name in gost256 gost512; do
        for cipher in gost89 kuznyechik-ctr-acpkm magma-ctr-acpkm; do
            encipher -$cipher $name.pem
            key cms -decrypt -inkey "$uri;object=$name$ask" -recip $name.pem -inform der -in enveloped -out opened
            cmp message opened || fail "CMS: $name $cipher was opened to something else"
        done
    done
    head -c 32 message > secret
    for name in gost256 gost512 gost2001 rsa1024; do
        openssl_0 pkeyutl -encrypt -pubin -inkey $name.pub -in secret -out enciphered
        key pkeyutl -decrypt -inkey "$uri;object=$name$ask" -in enciphered -out opened
        cmp secret opened || fail "$name opened something else"
        [ $name != rsa1024 ] || continue
        python3 "$root/Tests/Programs/Engine/moved_point.py" enciphered moved
        with 1 openssl pkeyutl -engine kanal -keyform engine -decrypt -inkey "$uri;object=$name$ask" -in moved
        printed 'not a point of the curve'
    done
    openssl_0 smime -encrypt -aes256 -binary -in message -outform der -out enveloped rsa1024.pem
    key smime -decrypt -inkey "$uri;object=rsa1024$ask" -recip rsa1024.pem -inform der -in enveloped -out opened
    cmp message opened || fail "S/MIME was opened to something else"
    encipher -aes256 -recip rsa1024.pem -keyopt rsa_padding_mode:oaep
    key cms -decrypt -inkey "$uri;object=rsa1024$ask" -recip rsa1024.pem -inform der -in enveloped -out opened
    cmp message opened || fail "CMS: OAEP was opened to something else"
    encipher -aes256 p256.pem
    key cms -decrypt -inkey "$uri;object=p256$ask" -recip p256.pem -inform der -in enveloped -out opened
    cmp message opened || fail "CMS: ECDH was opened to something else"
    openssl_0 pkeyutl -encrypt -pubin -inkey signing.pub -in secret -out enciphered
    with 1 openssl pkeyutl -engine kanal -keyform engine -decrypt -inkey "$uri;object=signing$ask" -in enciphered
    printed CKR_KEY_FUNCTION_NOT_PERMITTED
    encipher -gost89 signing.pem
    with 4 openssl cms -decrypt -debug_decrypt -engine kanal -keyform engine -inkey "$uri;object=signing$ask" \
        -recip signing.pem -inform der -in enveloped -out noise
    printed CKR_KEY_FUNCTION_NOT_PERMITTED
    [ ! -s noise ] || fail "noise was written in place of the message"
    encipher -kuznyechik-ctr-acpkm-omac signing.pem
    with 4 openssl cms -decrypt -engine kanal -keyform engine -inkey "$uri;object=signing$ask" -recip signing.pem \
        -inform der -in enveloped -out noise
}

agreements() {
    local name type set ukm
    for name in gost256:gost2012_256:TCA gost512:gost2012_512:A gost2001:gost2001:A; do
        IFS=: read -r name type set <<< "$name"
        openssl_0 genpkey -algorithm $type -pkeyopt paramset:$set -out peer.key
        openssl_0 pkey -in peer.key -pubout -out peer.pub
        for ukm in 0102030405060708 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f; do
            [ $name != gost2001 ] || [ ${#ukm} = 16 ] || continue
            key pkeyutl -derive -inkey "$uri;object=$name$ask" -peerkey peer.pub -pkeyopt ukmhex:$ukm -out ours
            openssl_0 pkeyutl -derive -inkey peer.key -peerkey $name.pub -pkeyopt ukmhex:$ukm -out theirs
            cmp ours theirs || fail "$name agrees on something else with UKM $ukm"
        done
    done
}

# ---- TLS ----

# serve VERSION OPTION...: a server in software or on the token, on port 35970. It ends by "stop_server".
serve() {
    openssl s_server -accept 127.0.0.1:35970 -quiet "$@" > server.log 2>&1 < /dev/null 3>&- &
    server=$!
    adopt $server
    wait_until bash -c 'exec 3<> /dev/tcp/127.0.0.1/35970' || fail "no TLS server: $(cat server.log)"
}
stop_server() {
    stop "$server"
    wait "$server" 2> /dev/null || true
}
suites="GOST2012-KUZNYECHIK-KUZNYECHIKOMAC GOST2012-MAGMA-MAGMAOMAC IANA-GOST2012-GOST8912-GOST8912
    GOST2012-GOST8912-GOST8912"
client=(openssl s_client -connect 127.0.0.1:35970 -tls1_2 -verify_return_error -brief)
# OpenSSL would have no RSA of 1024 bits.
client_1_3=(openssl s_client -connect 127.0.0.1:35970 -tls1_3 -verify_return_error -brief -cipher DEFAULT@SECLEVEL=0)

tls() {
    local suite inkey="$uri;object=gost256$ask"
    openssl_0 req -x509 -newkey gost2012_256 -pkeyopt paramset:TCA -nodes -keyout server.key -out server.pem -days 30 \
        -subj /CN=Server
    serve -tls1_2 -key server.key -cert server.pem -CAfile gost256.pem -Verify 1 -verify_return_error
    for suite in $suites; do
        with 0 "${client[@]}" -engine kanal -keyform engine -key "$inkey" -cert gost256.pem -CAfile server.pem \
            -cipher $suite < /dev/null
        printed "Ciphersuite: .*$suite"
    done
    expect 1 "${client[@]}" -key server.key -cert server.pem -CAfile server.pem < /dev/null
    stop_server
    OPENSSL_CONF=$work/kanal.cnf serve -tls1_2 -engine kanal -keyform engine -key "$inkey" -cert gost256.pem
    for suite in $suites; do
        expect 0 "${client[@]}" -CAfile gost256.pem -cipher $suite < /dev/null
        printed "Ciphersuite: .*$suite"
    done
    stop_server
    # A key that may only sign.
    OPENSSL_CONF=$work/kanal.cnf serve -tls1_2 -engine kanal -keyform engine -key "$uri;object=signing$ask" \
        -cert signing.pem
    for suite in $suites; do
        expect 1 "${client[@]}" -CAfile signing.pem -cipher $suite < /dev/null
    done
    [ "$(grep -c 'C_DeriveKey: CKR_KEY_FUNCTION_NOT_PERMITTED' server.log)" -ge 2 ] || fail "$(cat server.log)"
    kill -0 "$server" || fail "the server has ended: $(cat server.log)"
    stop_server
    for inkey in rsa1024 p256; do
        OPENSSL_CONF=$work/kanal.cnf serve -tls1_3 -cipher DEFAULT@SECLEVEL=0 -engine kanal -keyform engine \
            -key "$uri;object=$inkey$ask" -cert $inkey.pem -CAfile $inkey.pem -Verify 1 -verify_return_error
        with 0 "${client_1_3[@]}" -engine kanal -keyform engine -key "$uri;object=$inkey$ask" -cert $inkey.pem \
            -CAfile $inkey.pem < /dev/null
        printed 'Protocol version: TLSv1.3'
        stop_server
    done
}

# ---- Names and PINs ----

# signs NAME OPTION...: whether a name leads to the key "gost256".
signs() {
    key dgst -md_gost12_256 -sign "$1" "${@:2}" -out signature message
    openssl_0 dgst -md_gost12_256 -verify gost256.pub -signature signature message
}
# refused TEXT NAME: whether a name is refused with this text, for a program without a terminal.
refused() {
    with 1 setsid --wait openssl dgst -engine kanal -keyform engine -md_gost12_256 -sign "$2" message < /dev/null
    printed "$1"
}

names() {
    local name
    for name in "$uri;id=%01;type=private" "pkcs11:object=gost256" "pkcs11:slot-id=$slot;id=%01" gost256 01 id_01 \
        label_gost256 "slot_$slot-id_01" "slot_$slot-label_gost256" "$uri;id=%01?module-path=$module"; do
        signs "$name" -passin pass:$pin
    done
    echo $pin > pin
    chmod 600 pin
    signs "pkcs11:id=%01?pin-source=file:$work/pin"
    signs "pkcs11:id=%01?pin-source=$work/pin"
    sed "s|^engine_id.*|&\nMODULE_PATH = $module\nPIN = $pin|" kanal.cnf > pin.cnf
    OPENSSL_CONF=$work/pin.cnf expect 0 \
        openssl dgst -engine kanal -keyform engine -md_gost12_256 -sign gost256 -out signature message
    configure "authenticator = file:$work/pin"
    signs "$uri;id=%01"
    unconfigure
}

refusals() {
    local name
    for name in pkcs11:%ZZ pkcs11:id=% pkcs11:id=%0 pkcs11:object "pkcs11:?pin-value" "pkcs11:slot-id=x" "pkcs11:type=x" \
        "pkcs11:;" "pkcs11:id=%01;id=%02" "pkcs11:library-version=x" "$(printf 'pkcs11:id=%0*d' 999 1)" id_ label_ \
        slot_ slot_1- slot_99999999999999999999-id_01 "$(printf '%0*d' 999 1)" "pkcs11:object=gost256?pin-value="; do
        refused kanal: "$name"
    done
    refused 'no private key matches; there is .*id=%01;object=gost256' "$uri;object=nobody$ask"
    refused "no token matches; the readers have token=.*serial=$serial" "pkcs11:token=nobody$ask"
    refused 'objects of the token match: .*object=gost512' "$uri$ask"
    refused 'a private key is wanted' "$uri;type=cert$ask"
    refused 'the URI has an unknown attribute' "pkcs11:colour=red$ask"
    refused 'the URI: ' "pkcs11:id=%ZZ"
    refused 'the URI: ' "pkcs11:id"
    refused 'write id_ or label_ after the slot' "slot_0-gost256"
    refused 'an identifier in hexadecimal' "id_1"
    refused 'number of a slot' "slot_x"
    refused 'number of a slot' "slot_-1"
    refused 'asked and entered none' "$uri;object=gost256"
    refused 'pin-source .*: No such file' "$uri;object=gost256?pin-source=file:/nowhere"
    refused 'the PIN is wrong.*CKR_PIN_INCORRECT' "$uri;object=gost256?pin-value=87654321"
    refused "cannot be used.*/nowhere.so" "$uri;object=gost256?pin-value=$pin&module-path=/nowhere.so"
    with 3 openssl cms -sign -engine kanal -keyform engine -inkey "$uri;object=gost256$ask" -signer gost512.pem \
        -in message -outform der -out signed
    printed 'private key does not match certificate'
    head -c 31 message > digest
    with 1 openssl pkeyutl -engine kanal -keyform engine -sign -inkey "$uri;object=gost256$ask" -in digest
    printed 'the digest has .* bytes instead of 32'
    mkdir -p lib/alone
    ln -sf "$products/engines-3/kanal.so" lib/alone
    OPENSSL_ENGINES=$work/lib/alone with 1 openssl pkey -engine kanal -inform engine -pubin -in gost256 -pubout
    printed 'the engine gost is missing'
    OPENSSL_ENGINES=$work/lib/alone key dgst -sha256 -sign "$uri;object=rsa1024$ask" -out signature message
}

@test "usb: keys of five kinds sign digests and requests" { on usb signatures; }
@test "usb: certificates are issued, messages signed" { on usb messages; }
@test "usb: a time is stamped" { on usb stamps; }
@test "usb: messages are opened; a key that may not agree opens none" { on usb opens; }
@test "usb: keys agree with others in software" { on usb agreements; }
@test "usb: clients prove themselves and servers agree in four suites of TLS 1.2; RSA and P-256 in TLS 1.3" { on usb tls; }
@test "usb: keys have names of ten kinds, and PINs come from five places" { on usb names; }
@test "usb: what cannot be is refused with its cause" { on usb refusals; }

@test "bt: keys of five kinds sign digests and requests" { on bt signatures; }
@test "bt: certificates are issued, messages signed" { on bt messages; }
@test "bt: a time is stamped" { on bt stamps; }
@test "bt: messages are opened; a key that may not agree opens none" { on bt opens; }
@test "bt: keys agree with others in software" { on bt agreements; }
@test "bt: clients prove themselves and servers agree in four suites of TLS 1.2; RSA and P-256 in TLS 1.3" { on bt tls; }
