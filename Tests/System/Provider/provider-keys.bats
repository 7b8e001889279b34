#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# RSA and P-256 keys of a token by the provider "kanal", files that hold a URI, lists of objects, names and PINs; with
# ROOT=DIRECTORY for another version of OpenSSL.
# bats file_tags=share
load ../common
load provider

setup_file() {
    local name
    prepare
    start_pcscd
    provider_settings
    head -c 1000 /dev/urandom > message
    head -c 1000 /dev/urandom > other
    echo $pin > pin
    chmod 600 pin
    attach usb usb --trace "$work/trace"
    uri="pkcs11:serial=$serial"
    keep uri
    generate 01 gost256 GOSTR3410-2012-256:A --usage-derive
    generate 04 rsa rsa:2048 --usage-decrypt
    generate 05 p256 EC:prime256v1 --usage-derive
    for name in gost256 rsa p256; do
        by 0 pkey -in "$uri;object=$name$ask" -pubout -out $name.pub
        by 0 pkey -in "$uri;object=$name$ask" -out $name.key
        [ $name = gost256 ] || by 0 req -x509 -key "$uri;object=$name$ask" -subj /CN=$name -days 30 -out $name.pem
    done
}

# signs KEY NAME HASH OPTION…: signatures by a key, which the default provider verifies.
signs() {
    by 0 dgst "-$3" -sign "$1" "${@:4}" -out signature message
    agrees dgst "-$3" -verify "$2.pub" "${@:4}" -signature signature message
}

# settings FILE LINE…: settings with these lines.
settings() {
    sed "s|^\[kanal\]|&\nVERBOSE = 1\n$(printf '%s\\n' "${@:2}")|" provider.cnf > "$1"
}

# refused TEXT NAME: for a program without a terminal.
refused() {
    by 1 dgst -md_gost12_256 -sign "$2" message
    printed "$1"
}

@test "P-256 agrees as a key in software" {
    openssl ecparam -name prime256v1 -genkey -noout -out peer.key
    openssl pkey -in peer.key -pubout -out peer.pub
    by 0 pkeyutl -derive -inkey "$uri;object=p256$ask" -peerkey peer.pub -out ours
    agrees pkeyutl -derive -inkey peer.key -peerkey p256.pub -out theirs
    cmp ours theirs || fail "ECDH agrees on two secrets"
}

@test "RSA and P-256 sign digests, certificates and messages, and open messages" {
    local name key hash
    for name in rsa p256; do
        key="$uri;object=$name$ask"
        by 0 pkey -in "$uri;object=$name;type=public" -pubin -pubout -out again.pub
        cmp $name.pub again.pub || fail "$name has two public halves"
        for hash in sha256 sha384 sha512 sha1; do signs "$key" $name $hash; done
        by 0 pkeyutl -sign -rawin -digest sha256 -inkey "$key" -in message -out signature
        by 0 pkeyutl -verify -rawin -digest sha256 -pubin -inkey $name.pub -in message -sigfile signature
        # By the token's key itself, too.
        by 0 pkeyutl -verify -rawin -digest sha256 -inkey "$key" -in message -sigfile signature
        by 1 pkeyutl -verify -rawin -digest sha256 -inkey "$key" -in other -sigfile signature
        by 0 req -new -key "$key" -subj /CN=request -out request.pem
        agrees req -in request.pem -verify -noout
        agrees verify -check_ss_sig -CAfile $name.pem $name.pem
        by 0 cms -sign -nodetach -inkey "$key" -signer $name.pem -in message -binary -outform der -out signed
        agrees cms -verify -inform der -in signed -CAfile $name.pem -purpose any -binary -out opened
        by 0 smime -sign -nodetach -inkey "$key" -signer $name.pem -in message -binary -outform der -out signed
        agrees smime -verify -inform der -in signed -CAfile $name.pem -purpose any -binary -out opened
        agrees cms -encrypt -aes256 -binary -in message -outform der -out enveloped $name.pem
        by 0 cms -decrypt -inkey "$key" -recip $name.pem -inform der -in enveloped -out opened
        cmp message opened || fail "$name opened another message"
    done
    # A key of the token does not draw keys of files to the provider.
    openssl genrsa -out file.key 2048 2> /dev/null
    by 0 dgst -sha256 -sign file.key -out signature message
}

@test "RSA signs by PSS, and opens OAEP, PKCS #1 and raw blocks" {
    local key="$uri;object=rsa$ask" salt
    for salt in digest max auto 0 20; do
        by 0 dgst -sha256 -sign "$key" -sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:$salt -out signature message
        agrees dgst -sha256 -verify rsa.pub -sigopt rsa_padding_mode:pss -signature signature message
    done
    by 0 dgst -sha256 -sign "$key" -sigopt rsa_padding_mode:pss -sigopt rsa_mgf1_md:sha1 -out signature message
    agrees dgst -sha256 -verify rsa.pub -sigopt rsa_padding_mode:pss -sigopt rsa_mgf1_md:sha1 -signature signature message
    by 0 req -new -x509 -key "$key" -sigopt rsa_padding_mode:pss -subj /CN=PSS -days 30 -out pss.pem
    agrees verify -check_ss_sig -CAfile pss.pem pss.pem
    head -c 32 message > secret
    agrees pkeyutl -encrypt -pubin -inkey rsa.pub -pkeyopt rsa_padding_mode:oaep -pkeyopt rsa_oaep_md:sha256 -in secret \
        -out enciphered
    by 0 pkeyutl -decrypt -inkey "$key" -pkeyopt rsa_padding_mode:oaep -pkeyopt rsa_oaep_md:sha256 -in enciphered \
        -out opened
    cmp secret opened || fail "OAEP was opened to something else"
    agrees pkeyutl -encrypt -pubin -inkey rsa.pub -in secret -out enciphered
    by 0 pkeyutl -decrypt -inkey "$key" -in enciphered -out opened
    cmp secret opened || fail "PKCS #1 was opened to something else"
    head -c 256 /dev/zero | tr '\0' '\1' > block
    agrees pkeyutl -encrypt -pubin -inkey rsa.pub -pkeyopt rsa_padding_mode:none -in block -out enciphered
    by 0 pkeyutl -decrypt -inkey "$key" -pkeyopt rsa_padding_mode:none -in enciphered -out opened
    cmp block opened || fail "a raw block was opened to something else"
}

@test "RSA and P-256 prove both sides in TLS 1.3" {
    local name
    for name in rsa p256; do
        become="exec" launch openssl_with "$work/provider.cnf" s_server -accept 127.0.0.1:35970 -tls1_3 -quiet \
            -key "$uri;object=$name$ask" -cert $name.pem -CAfile $name.pem -Verify 1 -verify_return_error \
            > server.log 2>&1 < /dev/null
        wait_until bash -c 'exec 3<> /dev/tcp/127.0.0.1/35970' || fail "no TLS server: $(cat server.log)"
        by 0 s_client -connect 127.0.0.1:35970 -tls1_3 -verify_return_error -brief -key "$uri;object=$name$ask" \
            -cert $name.pem -CAfile $name.pem
        printed 'Verification: OK'
        stop "$launched"
    done
}

@test "keys are written as files that hold a URI, and used by them" {
    local name
    for name in gost256:md_gost12_256 rsa:sha256 p256:sha256; do
        [ "$(head -n 1 ${name%:*}.key)" = "-----BEGIN PKCS#11 PROVIDER URI-----" ] \
            || fail "another file: $(cat ${name%:*}.key)"
        by 0 dgst -${name#*:} -sign ${name%:*}.key -passin pass:$pin -out signature message
        agrees dgst -${name#*:} -verify ${name%:*}.pub -signature signature message
        by 1 dgst -${name#*:} -sign ${name%:*}.key -passin pass:87654321 -out signature message
        printed 'error:.*kanal.*PIN'
    done
    settings verbose.cnf
    by_settings verbose.cnf 1 dgst -md_gost12_256 -sign gost256.key -passin pass:87654321 message
    printed '^kanal: error: C_Login: CKR_PIN_INCORRECT'
}

@test "files with a URI that are damaged, or name what is not there, are refused with the cause" {
    local edit
    for edit in '/^-----END/d|has no last line' '2s/^..../AAAA/|is damaged' '2s/$/AAAA/|is damaged'; do
        sed "${edit%|*}" gost256.key > bad.key
        by 1 pkey -in bad.key -passin pass:$pin -noout
        printed "error:.*kanal.*the file with a URI ${edit#*|}"
    done
    uri_file "pkcs11:serial=$serial;object=nobody" bad.key
    by 1 pkey -in bad.key -passin pass:$pin -noout
    printed 'error:.*kanal.*no private key matches'
    uri_file "pkcs11:serial=nobody;object=gost256" bad.key
    by 1 pkey -in bad.key -passin pass:$pin -noout
    printed 'error:.*kanal.*no such token'
}

@test "objects of a token are listed" {
    by 0 storeutl -noout -passin pass:$pin "$uri"
    printed 'Total found: 6$'
    openssl x509 -in rsa.pem -outform der -out rsa.der
    expect 0 pkcs11-tool --module "$module" --slot "$slot" --login --pin $pin --write-object rsa.der --type cert --id 04 \
        --label rsa
    by 0 storeutl -certs "$uri;object=rsa"
    printed 'BEGIN CERTIFICATE'
    by 0 x509 -in "$uri;object=rsa;type=cert" -noout -subject
}

@test "the token generates keys of four kinds; files with their URIs are written" {
    local name type option value hash
    for name in gost2012_256:paramset:B:md_gost12_256 gost2012_512:paramset:A:md_gost12_512 RSA:bits:2048:sha256 EC:group:P-256:sha256; do
        IFS=: read -r type option value hash <<< $name
        by 0 genpkey -propquery provider=kanal -algorithm $type -pkeyopt $option:$value \
            -pkeyopt "pkcs11_uri:pkcs11:serial=$serial;object=made-$type;id=%7$((${#type} % 10))$ask" -out made.key
        grep -q '^-----BEGIN PKCS#11 PROVIDER URI-----' made.key || fail "another file: $(cat made.key)"
        by 0 req -new -key made.key -passin pass:$pin -subj /CN=made -out request.pem
        agrees req -in request.pem -verify -noout
    done
    by 1 genpkey -propquery provider=kanal -algorithm RSA -pkeyopt "pkcs11_uri:pkcs11:serial=$serial;object=made-RSA$ask"
    printed 'a private key of this name'
}

@test "keys have names of five kinds, and PINs come from six places" {
    local name
    for name in "$uri;id=%01;type=private$ask" "pkcs11:object=gost256$ask" "pkcs11:slot-id=$slot;id=%01$ask" \
        "pkcs11:object=gost256?pin-source=file:$work/pin" "pkcs11:object=gost256?pin-source=$work/pin"; do
        signs "$name" gost256 md_gost12_256
    done
    signs "$uri;object=gost256" gost256 md_gost12_256 -passin pass:$pin
    # The token's own way: the library asks, and no program.
    configure "authenticator = file:$work/pin"
    signs "$uri;object=gost256" gost256 md_gost12_256
    unconfigure
    settings pin.cnf "PIN = $pin"
    by_settings pin.cnf 0 dgst -md_gost12_256 -sign "$uri;object=gost256" message
}

@test "FORCE_LOGIN presents the PIN for a public key, too" {
    local value
    for value in 0 off 1; do
        settings forced.cnf "PIN = $pin" "FORCE_LOGIN = $value"
        by_settings forced.cnf 0 pkey -pubin -in "$uri;object=gost256;type=public" -pubout
        [ $value = 1 ] || not_printed 'the PIN is presented'
    done
    printed 'the PIN is presented'
    settings forced.cnf "FORCE_LOGIN = maybe"
    by_settings forced.cnf 1 dgst -md_gost12_256 -sign "$uri;object=gost256$ask" message
    printed '^kanal: error: FORCE_LOGIN = maybe; it is 1 or 0'
}

@test "what cannot be is refused with its cause" {
    refused 'no private key matches; there is .*id=%01;object=gost256' "$uri;object=none$ask"
    refused "no token matches; the readers have token=.*serial=$serial" "pkcs11:token=none$ask"
    refused 'the URI has an unknown attribute' "pkcs11:colour=red$ask"
    refused 'the URI: ' "pkcs11:id=%ZZ"
    refused 'pin-source .*: No such file' "$uri;object=gost256?pin-source=file:/nowhere"
    refused 'the PIN is wrong.*CKR_PIN_INCORRECT' "$uri;object=gost256?pin-value=87654321"
    refused "cannot be used.*/nowhere.so" "$uri;object=gost256?pin-value=$pin&module-path=/nowhere.so"
    by 1 dgst -sha256 -sign "$uri;object=gost256$ask" message
    printed 'it accepts only md_gost12_256'
    grep -v default_provider provider.cnf > alone.cnf
    by_settings alone.cnf 1 pkey -in "$uri;object=rsa$ask" -pubout
    printed "activate OpenSSL's default provider"
    # A list of a name that no object has, as sign-file of the kernel asks for it: OpenSSL's command ends with status 0.
    openssl_with "$work/provider.cnf" storeutl -noout "$uri;object=none$ask" > output 2>&1 || true
    printed 'no private key matches; there is .*id=%01;object=gost256'
}

@test "a key is loaded by its URI, and signs, with no more commands to the card than by the engine" {
    [ -z "$ROOT" ] || skip "the engine is for this machine's OpenSSL"
    local key="$uri;object=gost256$ask" start middle
    mkdir -p lib/engines-3
    ln -s "$(pkg-config libcrypto --variable=enginesdir)/gost.so" "$products/engines-3/kanal.so" lib/engines-3
    printf '%s\n' 'openssl_conf = main' '[main]' 'engines = engines' '[engines]' 'kanal = kanal' '[kanal]' 'engine_id = kanal' \
        "MODULE_PATH = $module" > engine.cnf
    start=$(grep -c '^>' trace)
    OPENSSL_CONF=$work/engine.cnf OPENSSL_ENGINES=$work/lib/engines-3 expect 0 openssl dgst -engine kanal -keyform engine \
        -md_gost12_256 -sign "$key" -out signature message
    middle=$(grep -c '^>' trace)
    by 0 dgst -md_gost12_256 -sign "$key" -out signature message
    [ $(($(grep -c '^>' trace) - middle)) -le $((middle - start)) ] \
        || fail "$(($(grep -c '^>' trace) - middle)) commands to the card instead of the engine's $((middle - start))"
}

# refuses SETTINGS TEXT KEY: the key signs nothing, and no PIN comes to the stranger's token.
refuses() {
    local before
    before=$(grep -c '^> ..20' second-trace)
    by_settings "$1" 1 dgst -md_gost12_256 -sign "$3" message
    printed "$2"
    [ "$(grep -c '^> ..20' second-trace)" = "$before" ] || fail "a PIN was presented to the other token: $(cat output)"
}

@test "key files name neither PINs nor modules, and the PIN of the settings goes to its token alone" {
    local attribute key
    [ -z "$ROOT" ] || skip "two tokens are tried with this machine's OpenSSL"
    attach_second usb second --trace "$work/second-trace"
    expect 0 pkcs11-tool --module "$module" --slot "$second_slot" --login --pin $pin --keypairgen --id 01 --label bait \
        --key-type GOSTR3410-2012-256:A --usage-sign
    settings pin.cnf "PIN = $pin"
    settings bound.cnf "PIN = $pin" "SERIAL = $serial"
    settings other.cnf "PIN = $pin" "SERIAL = $second_serial"
    for attribute in pin-value=$pin "pin-source=file:$work/pin" "module-path=$work/lib/${module##*/}" module-name=kanal; do
        uri_file "pkcs11:serial=$second_serial;object=bait?$attribute" bait.key
        refuses bound.cnf "remove ${attribute%%=*} from the file; the settings have PIN" bait.key
    done
    uri_file "pkcs11:serial=$second_serial;object=bait" bait.key
    refuses pin.cnf "not presented to a token that a file names.*SERIAL = $second_serial" bait.key
    refuses bound.cnf "the PIN of the settings is for the token in SERIAL, and this token is $second_serial" bait.key
    refuses pin.cnf "not presented to a token that a file names" rsa.key
    # The program names it, but not by its token, of which there are two.
    refuses pin.cnf "is for one of several tokens" "pkcs11:object=bait"
    refuses bound.cnf "this token is $second_serial" "pkcs11:serial=$second_serial;object=bait"
    for key in gost256.key "$uri;object=gost256" pkcs11:object=gost256; do
        by_settings bound.cnf 0 dgst -md_gost12_256 -sign "$key" -out signature message
        agrees dgst -md_gost12_256 -verify gost256.pub -signature signature message
    done
    by_settings pin.cnf 0 dgst -md_gost12_256 -sign "$uri;object=gost256" message
    by_settings other.cnf 0 dgst -md_gost12_256 -sign bait.key message
    settings long.cnf "SERIAL = 12345678901234567"
    by_settings long.cnf 1 dgst -md_gost12_256 -sign "$uri;object=gost256" message
    printed '^kanal: error: SERIAL has more than 16 characters'
    stop "$second_token"
}
