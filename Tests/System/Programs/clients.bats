#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# GnuTLS, OpenSSL, OpenSSH, NSS, Java, GnuPG, strongSwan, OpenVPN and p11-kit use an RSA key and its certificate on an
# emulated token. OpenSSL verifies their signatures and ciphertexts without the token.
# bats file_tags=pcscd
load ../common

setup_file() {
    prepare
    unset OPENSSL_CONF
    echo "What is signed and enciphered" > message
    echo $pin > pin
    example openssl-pkcs11.cnf
    start_pcscd
}

tool() { expect 0 pkcs11-tool --module "$module" --slot "$slot" --login --pin $pin "$@"; }
with_key() { OPENSSL_CONF=$work/openssl-pkcs11.cnf expect 0 openssl "$1" -engine pkcs11 -keyform engine "${@:2}"; }

# A token with a key and its certificate.
bring() {
    attach "$identity" "$identity"
    if [ "$identity" = bt ]; then ./activate "$serial" "$password" > /dev/null; fi
    expect 0 p11tool --provider "$module" --list-token-urls
    url=$(grep "serial=$serial" output)
    key="$url;id=%01;type=private"
    label=$(token_label)
    keep url key label
    tool --keypairgen --key-type rsa:2048 --id 01 --label key
    with_key req -new -x509 -sha256 -key "$key" -subj /CN=Kanal -days 30 -out certificate.pem
    expect 0 openssl x509 -in certificate.pem -outform der -out certificate.der
    tool --write-object certificate.der --type cert --id 01 --label key
}

# Runs a client without a terminal to ask at.
alone() { expect 0 setsid --wait "$@" < /dev/null; }

tool() { expect 0 pkcs11-tool --module "$module" --slot "$slot" --login --pin $pin "$@"; }

# Whether CMS data in this file were signed by the token's key, or another certificate's.
verify_cms() {
    expect 0 openssl cms -verify -inform der -in "$1" -CAfile "${2:-certificate.pem}" -purpose any -binary -out verified
    cmp message verified || fail "CMS: other data were signed"
}

# Whether a TLS server that has the token's key, once it listens at a port, proves to have it.
greet() {
    wait_until sh -c "openssl s_client -connect 127.0.0.1:$1 < /dev/null" || fail "no TLS server: $(cat server.log)"
    expect 0 openssl s_client -connect "127.0.0.1:$1" -CAfile certificate.pem -verify_return_error < /dev/null
    printed 'Verification: OK'
}

# ---- OpenSSL's engine: a certificate, a request, CMS, a TLS server ----

openssl_engine() {
    with_key req -new -key "$key" -subj /CN=Kanal -out request.pem
    expect 0 openssl req -in request.pem -verify -noout
    with_key cms -sign -nodetach -inkey "$key" -signer certificate.pem -in message -binary -outform der -out signed
    verify_cms signed
    for padding in pkcs1 oaep; do
        expect 0 openssl cms -encrypt -aes256 -in message -binary -outform der -out enveloped \
            -recip certificate.pem -keyopt rsa_padding_mode:$padding
        with_key cms -decrypt -inkey "$key" -recip certificate.pem -inform der -in enveloped -out opened
        cmp message opened || fail "CMS: $padding was opened to something else"
    done
    OPENSSL_CONF=$work/openssl-pkcs11.cnf launch openssl s_server -engine pkcs11 -keyform engine -key "$key" \
        -cert certificate.pem -accept 127.0.0.1:35970 -www > server.log 2>&1
    greet 35970
    stop "$launched"
}

# ---- GnuTLS: p11tool, certtool, a TLS server ----

gnutls() {
    export GNUTLS_PIN=$pin
    expect 0 p11tool --provider "$module" --login --list-all "$url"
    for object in 'Private key (RSA-2048)' 'Public key (RSA-2048)' 'X.509 Certificate (RSA-2048)'; do
        printed "Type: $object"
    done
    alone p11tool --provider "$module" --login --test-sign "$key"
    printed 'Verifying against public key in the token... ok'
    echo 'cn = "Kanal"' > template
    alone certtool --generate-request --provider "$module" --load-privkey "$key" --template template \
        --outfile request.pem
    expect 0 openssl req -in request.pem -verify -noout
    alone p11tool --provider "$module" --login --write --load-certificate certificate.pem --label second \
        --id 02 "$url"
    alone p11tool --provider "$module" --login --batch --delete "$url;object=second;type=cert"
    launch gnutls-serv --provider "$module" --port 35971 --x509keyfile "$key" --x509certfile "$url;id=%01;type=cert" --http \
        > server.log 2>&1 < /dev/null
    greet 35971
    stop "$launched"
}

# ---- OpenSSH: the public key, an agent ----

openssh() {
    start_agent
    expect 0 ssh-add -l
    rm -f message.sig
    expect 0 ssh-keygen -Y sign -f key.pub -n file message
    echo "user $(cat key.pub)" > allowed
    ssh-keygen -Y verify -f allowed -I user -n file -s message.sig < message > output || fail "ssh: $(cat output)"
    expect 0 ssh-add -e "$module"
    stop_agent
}

# ---- NSS: a module, its certificates and keys, CMS ----

nss() {
    rm -rf nss
    mkdir nss
    expect 0 certutil -N -d sql:nss --empty-password
    alone modutil -dbdir sql:nss -add kanal -libfile "$module" -force
    # It ends with an error because the second reader is empty.
    modutil -dbdir sql:nss -list kanal > output 2>&1 || true
    printed "Token Name: $label"
    # All certificates are public and have their keys' identifiers: no login is needed to see them.
    expect 0 certutil -L -d sql:nss -h "$label"
    printed "$label:key "
    expect 0 certutil -L -d sql:nss -h "$label" -f pin
    printed "$label:key .*u,u,u"
    expect 0 certutil -K -d sql:nss -h "$label" -f pin
    printed 'rsa *01 *key'
    expect 0 certutil -R -d sql:nss -h "$label" -f pin -k 01 -s CN=Kanal -a -o request.pem
    expect 0 openssl req -in request.pem -verify -noout
    expect 0 certutil -A -d sql:nss -n authority -t CT,C,C -i certificate.pem
    expect 0 cmsutil -S -d sql:nss -f pin -N "$label:key" -i message -o signed -G
    verify_cms signed
    expect 0 cmsutil -E -d sql:nss -f pin -r authority -i message -o enveloped
    expect 0 cmsutil -D -d sql:nss -f pin -i enveloped -o opened
    cmp message opened || fail "NSS opened to something else"
    expect 0 openssl req -new -x509 -newkey rsa:2048 -noenc -keyout other.key -subj /CN=Other -days 30 -out other.pem
    expect 0 openssl pkcs12 -export -inkey other.key -in other.pem -name other -passout pass:secret -out other.p12
    expect 0 certutil -A -d sql:nss -n other-authority -t CT,C,C -i other.pem
    expect 0 pk12util -i other.p12 -d sql:nss -h "$label" -k pin -W secret
    expect 0 cmsutil -S -d sql:nss -f pin -N "$label:other" -i message -o signed -G
    verify_cms signed other.pem
    expect 0 certutil -F -d sql:nss -f pin -n "$label:other"
}

# ---- Java: keytool and jarsigner ----

java() {
    example java.cfg
    echo "slot = $slot" >> java.cfg
    local store=(-keystore NONE -storetype PKCS11 -providerClass sun.security.pkcs11.SunPKCS11
        -providerArg "$work/java.cfg" -storepass "$pin")
    expect 0 keytool -list "${store[@]}"
    printed '^key, PrivateKeyEntry'
    expect 0 keytool -genkeypair "${store[@]}" -alias java -keyalg RSA -keysize 2048 -dname CN=Java -validity 30
    expect 0 keytool -list "${store[@]}"
    printed '^java, PrivateKeyEntry'
    expect 0 keytool -certreq "${store[@]}" -alias java -file request.pem
    expect 0 openssl req -in request.pem -verify -noout
    expect 0 jar cf archive.jar message
    for alias in key java; do
        expect 0 jarsigner "${store[@]}" -signedjar "$alias.jar" archive.jar "$alias"
        expect 0 jarsigner -verify "$alias.jar"
        printed '^jar verified'
    done
    expect 0 keytool -delete "${store[@]}" -alias java
    expect 0 keytool -list "${store[@]}"
    not_printed '^java'
}

# ---- GnuPG: gpgsm, whose agent asks for the PIN ----

gnupg() {
    export GNUPGHOME=$work/gnupg
    rm -rf gnupg
    mkdir -m 700 gnupg
    printf '#!/bin/sh\necho OK\nwhile read -r command; do [ "$command" != GETPIN ] || echo D %s; echo OK; done\n' \
        $pin > pinentry
    chmod 700 pinentry
    printf '%s\n' "scdaemon-program $(command -v gnupg-pkcs11-scd)" "pinentry-program $work/pinentry" \
        > gnupg/gpg-agent.conf
    printf '%s\n' 'providers kanal' "provider-kanal-library $module" > gnupg/gnupg-pkcs11-scd.conf
    echo disable-crl-checks > gnupg/gpgsm.conf
    expect 0 gpgsm --batch --learn-card
    expect 0 gpgsm --batch --with-colons --list-secret-keys
    local fingerprint
    fingerprint=$(sed -n 's/^fpr:*\([0-9A-F]*\):.*/\1/p' output)
    echo "$fingerprint S relax" > gnupg/trustlist.txt
    expect 0 gpgsm --batch --sign --include-certs 1 --local-user "0x$fingerprint" --output gnupg/signed message
    # Not by OpenSSL: gnupg-pkcs11-scd and gpgsm put a zero before a signature whose first bit is set.
    expect 0 gpgsm --batch --verify --output gnupg/verified gnupg/signed
    printed 'Good signature'
    cmp message gnupg/verified || fail "gpgsm: other data were signed"
    expect 0 gpgsm --batch --encrypt --recipient "0x$fingerprint" --output gnupg/enveloped message
    expect 0 gpgsm --batch --decrypt --output gnupg/opened gnupg/enveloped
    cmp message gnupg/opened || fail "gpgsm opened to something else"
    gpgconf --kill gpg-agent
}

# ---- strongSwan: pki ----

strongswan() {
    export STRONGSWAN_CONF=$work/strongswan.conf
    cat > strongswan.conf << END
pki {
    load = random nonce x509 pem pkcs1 pubkey sha1 sha2 gmp pkcs11
    plugins { pkcs11 { modules { kanal { path = $module } } } }
}
END
    expect 0 setsid --wait pki --print --type x509 --keyid 01 < /dev/null
    printed 'subject: *"CN=Kanal"'
    expect 0 setsid --wait pki --req --type rsa --keyid 01 --dn CN=Kanal --outform pem <<< $pin
    sed 's/^Smartcard PIN: //' output > request.pem
    expect 0 openssl req -in request.pem -verify -noout
}

# ---- OpenVPN and p11-kit ----

openvpn_ids() {
    expect 0 openvpn --show-pkcs11-ids "$module"
    printed 'DN: *CN=Kanal'
    printed 'Serialized id: .*/01'
}

# A process that has the token, and clients of it in other processes.
p11_kit_server() {
    rm -f p11-kit
    launch p11-kit server --foreground --provider "$module" --name "$work/p11-kit" "$url" > server.log 2>&1
    wait_until test -S p11-kit
    local client
    client=$(dpkg-query --listfiles p11-kit-modules | grep '/p11-kit-client\.so$')
    export P11_KIT_SERVER_ADDRESS=unix:path=$work/p11-kit
    openssl x509 -in certificate.pem -pubkey -noout > public.pem
    expect 0 pkcs11-tool --module "$client" --login --pin $pin --sign --mechanism SHA256-RSA-PKCS --id 01 \
        --input-file message --output-file signature
    expect 0 openssl dgst -sha256 -verify public.pem -signature signature message
    stop "$launched"
}

@test "usb: OpenSSL's engine makes a request, signs and opens CMS, serves TLS" { on usb openssl_engine; }
@test "usb: p11tool lists, signs, writes and deletes; certtool makes a request; gnutls-serv serves TLS" { on usb gnutls; }
@test "usb: ssh-keygen shows the public key, and an agent signs" { on usb openssh; }
@test "usb: NSS lists, makes a request, signs and opens CMS, takes a PKCS #12 file and deletes" { on usb nss; }
@test "usb: keytool lists, makes a key pair with its certificate, a request, and deletes; jarsigner signs" { on usb java; }
@test "usb: gpgsm learns the certificate, signs and opens CMS" { on usb gnupg; }
@test "usb: strongSwan's pki finds the certificate and makes a request" { on usb strongswan; }
@test "usb: OpenVPN shows the certificate" { on usb openvpn_ids; }
@test "usb: p11-kit's client signs through its server" { on usb p11_kit_server; }

@test "bt: OpenSSL's engine makes a request, signs and opens CMS, serves TLS" { on bt openssl_engine; }
@test "bt: p11tool lists, signs, writes and deletes; certtool makes a request; gnutls-serv serves TLS" { on bt gnutls; }
@test "bt: ssh-keygen shows the public key, and an agent signs" { on bt openssh; }
@test "bt: NSS lists, makes a request, signs and opens CMS, takes a PKCS #12 file and deletes" { on bt nss; }
@test "bt: keytool lists, makes a key pair with its certificate, a request, and deletes; jarsigner signs" { on bt java; }
@test "bt: gpgsm learns the certificate, signs and opens CMS" { on bt gnupg; }
@test "bt: strongSwan's pki finds the certificate and makes a request" { on bt strongswan; }
@test "bt: OpenVPN shows the certificate" { on bt openvpn_ids; }
@test "bt: p11-kit's client signs through its server" { on bt p11_kit_server; }
