#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Programs that use keys of a token, in a Debian of roots.sh.
# bats file_tags=night
export KANAL_INSTALLED=yes
load ../common
load ../servers
load programs

# ---- Kanal's own ----

@test "the demonstration shows what is installed" {
    needs
    expect 0 "$root/Tests/System/apart" "$root/Tests/Scripts/demo.sh" --installed
    echo "# $(tail -n 1 output)" >&3
}

@test "programs in C compile with the headers, and run" {
    needs libp11-kit-dev
    local program
    (cd "$root" && env -i PATH=/usr/bin:/bin bats -f "program in C" Packaging/debian/tests/installed.bats) > output 2>&1 3>&- \
        || fail "$(cat output)"
    for program in layout constants; do
        # shellcheck disable=SC2046
        expect 0 cc -I/usr/include/kanal $(pkg-config --cflags kanal-pkcs11) "$root/Tests/Programs/Module/$program.c" -o $program
    done
}

# OpenSSL verifies its signatures, but for GOST signatures without gost-engine.
@test "kanal signs with RSA, P-256 and GOST" {
    needs
    local name
    cp "$work/message" .
    for name in rsa ec; do
        by_kanal sign --key $name message
        expect 0 openssl dgst -sha256 -verify "$work/$name.pub" -signature message.sig message
        by_kanal sign --cms --key $name message
        opens message.p7m "$work/authority.pem"
        rm message.sig message.p7m
    done
    by_kanal sign --key gost message
    expect 0 "$kanal" verify --public-key "$work/gost.pub" message
}

@test "kanal doctor finds no fault with the packages" {
    needs
    local status=0 found wanted=
    timeout 60 "$kanal" doctor --json > output 2>&1 3>&- || status=$?
    [ $status -le 1 ] || fail "exit status $status: $(cat output)"
    not_printed '"pcscd\.\|"library\.\|"p11kit\.'
    found=$(sed 's/"check"/\n&/g' output | sed -n 's/^"check" *: *"\(openssl\.[a-z]*\)".*/\1/p' | sort -u)
    echo "# of OpenSSL it says: $(xargs <<< "${found:-nothing}")" >&3
    if [ -n "$(absence kanal-openssl-engine)" ]; then
        wanted=openssl.engines
    elif [ -n "$(absence libengine-gost-openssl)" ]; then
        wanted=openssl.gost
    fi
    [ -z "$wanted" ] || grep -qx "$wanted" <<< "$found" || fail "it does not say $wanted: $(cat output)"
}

# ---- OpenSSL's engine and provider ----

# engine_key LABEL HASH: a request, a certificate and a signature by a key of the token.
engine_key() {
    local key=(-engine kanal -keyform engine)
    local uri="pkcs11:object=$1;type=private?pin-value=$pin"
    export OPENSSL_CONF=/usr/share/doc/kanal/kanal-openssl.cnf
    expect 0 openssl engine -t kanal
    printed '\[ available \]'
    expect 0 openssl req -new "-$2" "${key[@]}" -key "$uri" -subj /CN=Kanal -out request.pem
    expect 0 openssl req -x509 "-$2" "${key[@]}" -key "$uri" -subj /CN=Kanal -days 30 -out certificate.pem
    expect 0 openssl dgst "-$2" "${key[@]}" -sign "$uri" -out signature "$work/message"
    expect 0 openssl cms -sign -nodetach "${key[@]}" -inkey "$uri" -signer certificate.pem -in "$work/message" -binary \
        -outform der -out signed
    export OPENSSL_CONF=$work/openssl.cnf
    expect 0 openssl req -in request.pem -verify -noout
    expect 0 openssl dgst "-$2" -verify "$work/$1.pub" -signature signature "$work/message"
    opens signed certificate.pem
}

@test "the engine signs requests, certificates, files and messages with RSA and P-256" {
    needs kanal-openssl-engine
    engine_key rsa sha256
    engine_key ec sha256
}

@test "the engine signs requests, certificates, files and messages with GOST" {
    needs kanal-openssl-engine libengine-gost-openssl
    engine_key gost md_gost12_256
}

# provider_key LABEL DIGEST: the uses of a key by the package's settings. The provider verifies, too.
provider_key() {
    local uri="pkcs11:object=$1;type=private?pin-value=$pin"
    expect 0 openssl req -new -key "$uri" -subj /CN=Kanal -out request.pem
    expect 0 openssl req -in request.pem -verify -noout
    expect 0 openssl req -x509 -key "$uri" -subj /CN=Kanal -days 30 -out certificate.pem
    expect 0 openssl dgst "-$2" -sign "$uri" -out signature "$work/message"
    expect 0 openssl dgst "-$2" -verify "$work/$1.pub" -signature signature "$work/message"
    expect 0 openssl pkey -in "$uri" -out "$1.key"
    expect 0 openssl dgst "-$2" -sign "$1.key" -passin pass:$pin -out signature "$work/message"
    # OpenSSL 3.0 signs messages by GOST keys of engines alone.
    [ "$1" != gost ] || ! openssl version | grep -q 'OpenSSL 3\.0' || return 0
    expect 0 openssl cms -sign -nodetach -inkey "$uri" -signer certificate.pem -in "$work/message" -binary -outform der -out signed
    opens signed certificate.pem
}

@test "the provider signs requests, certificates, files and messages with GOST, RSA and P-256, by URIs and files that hold them" {
    needs kanal-openssl-provider
    export OPENSSL_CONF=/usr/share/doc/kanal/kanal-provider.cnf
    unset OPENSSL_MODULES
    provider_key gost md_gost12_256
    provider_key rsa sha256
    provider_key ec sha256
}

# ---- Signers of modules, boot files, programs and zones ----

# provider_named NAME: the package's settings, with the PIN, and another name of the provider.
provider_named() {
    sed "s|^kanal = kanal|$1 = kanal|; s|^\[kanal\]|&\nmodule = kanal.so\nPIN = $pin\nSERIAL = $serial|" \
        /usr/share/doc/kanal/kanal-provider.cnf > provider.cnf
}
# The engine, under the name by which programs ask for one.
engine_named() {
    printf '%s\n' 'openssl_conf = main' '[main]' 'engines = engines' '[engines]' 'kanal = kanal' '[kanal]' 'engine_id = dynamic' \
        "SO_PATH = $(pkg-config libcrypto --variable=enginesdir 2> /dev/null || ls -d /usr/lib/*/engines-3)/kanal.so" \
        "ID = $1" 'LIST_ADD = 1' 'LOAD = EMPTY' "PIN = $pin" > engine.cnf
}
# Runs a program with one of these files, without a terminal.
with() { OPENSSL_CONF=$PWD/$1 alone "${@:2}"; }

# A program for EFI, which does nothing.
make_boot_file() {
    printf '.globl begin\nbegin: xor %%eax, %%eax\nret\n.data\n.quad 1\n' | as -o boot.o
    ld -m i386pep --subsystem 10 -e begin boot.o -o boot.efi
}

@test "sign-file signs kernel modules by the provider that is called pkcs11, with RSA and P-256" {
    local name size length sign_file
    needs kanal-openssl-provider "$(sed -n 's/^kernel //p' /names)"
    sign_file=$(find /usr/lib/linux-kbuild-*/scripts -name sign-file | sort --version-sort | tail -n 1)
    provider_named pkcs11
    for name in rsa ec; do
        with provider.cnf "$sign_file" sha256 "pkcs11:object=$name;type=private" "$work/$name.pem" "$work/message" signed.ko
        size=$(stat -c %s signed.ko)
        length=$((16#$(tail -c 32 signed.ko | head -c 4 | od -An -tx1 | tr -d ' ')))
        head -c $((size - 40 - length)) signed.ko | cmp - "$work/message"
        tail -c $((40 + length)) signed.ko | head -c $length > signature
        expect 0 openssl cms -verify -inform der -in signature -content "$work/message" -binary -certfile "$work/$name.pem" \
            -CAfile "$work/authority.pem" -purpose any -out /dev/null
    done
}

@test "systemd-sbsign signs boot files by the provider, with RSA and P-256" {
    local name
    needs kanal-openssl-provider systemd-repart sbsigntool
    make_boot_file
    provider_named kanal
    for name in rsa ec; do
        with provider.cnf /usr/lib/systemd/systemd-sbsign sign --private-key "pkcs11:object=$name;type=private" \
            --private-key-source provider:kanal --certificate "$work/$name.pem" --output signed.efi boot.efi
        expect 0 sbverify --cert "$work/authority.pem" signed.efi
    done
}

# sbsign asks for an engine up to 0.9.4, and then for a provider by the same option.
@test "sbsign signs boot files by the engine, or by the provider, with RSA and P-256" {
    local name
    needs sbsigntool
    make_boot_file
    provider_named kanal
    engine_named kanal
    for name in rsa ec; do
        with "$(if is_since sbsigntool 0.9.5; then echo provider; else echo engine; fi).cnf" sbsign --engine kanal \
            --key "pkcs11:object=$name;type=private" --cert "$work/$name.pem" --output signed.efi boot.efi
        expect 0 sbverify --cert "$work/authority.pem" signed.efi
    done
}

@test "osslsigncode signs programs by the engine, or by the provider, with RSA and P-256" {
    local name
    needs osslsigncode sbsigntool
    make_boot_file
    provider_named kanal
    engine_named pkcs11
    for name in rsa ec; do
        rm -f signed.exe
        if is_since osslsigncode 2.10; then
            with provider.cnf osslsigncode sign -provider kanal -certs "$work/$name.pem" \
                -key "pkcs11:object=$name;type=private" -h sha256 -in boot.efi -out signed.exe
        else
            with engine.cnf osslsigncode sign -pkcs11module "$module" -certs "$work/$name.pem" \
                -key "pkcs11:object=$name;type=private" -h sha256 -in boot.efi -out signed.exe
        fi
        expect 0 osslsigncode verify -CAfile "$work/authority.pem" -in signed.exe
        printed '^Succeeded'
        expect 0 sbverify --cert "$work/authority.pem" signed.exe
    done
}

@test "BIND's dnssec-keyfromlabel finds keys of RSA and P-256 by the provider, and dnssec-signzone signs with them" {
    local name
    needs kanal-openssl-provider bind9-utils
    is_since bind9-utils 9.20 || skip "BIND of this Debian is built without engines and providers"
    make_zone
    provider_named kanal
    for name in rsa:RSASHA256 ec:ECDSAP256SHA256; do
        rm -f K* signed
        with provider.cnf dnssec-keyfromlabel -a "${name#*:}" -l "pkcs11:object=${name%:*}" -f KSK example.
        with provider.cnf dnssec-keyfromlabel -a "${name#*:}" -l "pkcs11:object=${name%:*}" example.
        with provider.cnf dnssec-signzone -S -o example. -f signed zone
        verify_zone "${name#*:}"
    done
}

# ---- PKCS #11 by other libraries ----

@test "p11-kit shows the library and its token" {
    needs p11-kit
    expect 0 p11-kit list-modules
    printed '^kanal: \|^module: kanal'
    printed "serial-number: $serial"
}

@test "p11-kit writes public keys of RSA, P-256 and GOST" {
    local name
    needs p11-kit
    is_since p11-kit 0.25 || skip "p11-kit of this Debian has no export-object"
    for name in rsa ec gost; do
        expect 0 p11-kit export-object "pkcs11:serial=$serial;object=$name;type=public"
        cmp output "$work/$name.pub"
    done
}

@test "OpenSC's pkcs11-tool signs with RSA" {
    needs opensc
    expect 0 pkcs11-tool --module libkanal-pkcs11.so --slot "$slot" --login --pin $pin --sign -m SHA256-RSA-PKCS --id 01 \
        -i "$work/message" -o signature
    expect 0 openssl dgst -sha256 -verify "$work/rsa.pub" -signature signature "$work/message"
}

@test "GnuTLS finds the module by p11-kit, signs, makes a request and serves TLS with RSA" {
    needs gnutls-bin
    local url key
    export GNUTLS_PIN=$pin
    expect 0 p11tool --list-token-urls
    url=$(grep "serial=$serial" output)
    expect 0 p11tool --login --list-all "$url"
    printed 'Type: Private key (RSA-2048)'
    printed 'Type: X.509 Certificate (RSA-2048)'
    key="$url;id=%01;type=private"
    alone p11tool --login --test-sign "$key"
    printed 'Verifying against public key in the token... ok'
    echo 'cn = "Kanal"' > template
    alone certtool --generate-request --load-privkey "$key" --template template --outfile request.pem
    expect 0 openssl req -in request.pem -verify -noout
    start server.log gnutls-serv --port 35971 --x509keyfile "$key" --x509certfile "$url;id=%01;type=cert" --http
    greets 35971 rsa server.log
}

@test "NSS's modutil, certutil and cmsutil list, make a request and sign with RSA" {
    needs libnss3-tools
    mkdir nss
    echo $pin > pin
    expect 0 certutil -N -d sql:nss --empty-password
    alone modutil -dbdir sql:nss -add kanal -libfile "$module" -force
    # It ends with an error because the second reader has no token.
    modutil -dbdir sql:nss -list kanal > output 2>&1 3>&- || true
    printed "Token Name: $token_name"
    expect 0 certutil -L -d sql:nss -h $token_name -f pin
    printed "$token_name:rsa .*u,u,u"
    expect 0 certutil -K -d sql:nss -h $token_name -f pin
    printed 'rsa *01 '
    expect 0 certutil -R -d sql:nss -h $token_name -f pin -k 01 -s CN=Kanal -a -o request.pem
    expect 0 openssl req -in request.pem -verify -noout
    expect 0 certutil -A -d sql:nss -n authority -t CT,C,C -i "$work/authority.pem"
    expect 0 cmsutil -S -d sql:nss -f pin -N $token_name:rsa -i "$work/message" -o signed -G
    opens signed "$work/authority.pem"
}

# ---- OpenSSH, git, PAM ----

@test "ssh-keygen shows the keys, and ssh-agent signs" {
    needs openssh-client
    cd "$work"
    start_agent
    expect 0 ssh-add -l
    rm -f message.sig
    expect 0 ssh-keygen -Y sign -f key.pub -n file message
    echo "user $(cat key.pub)" > allowed
    ssh-keygen -Y verify -f allowed -I user -n file -s message.sig < message > output || fail "ssh: $(cat output)"
}

@test "git signs a commit by OpenSSH's agent" {
    needs openssh-client git
    local tree=$PWD
    cd "$work"
    start_agent
    echo "user@kanal.invalid $(cat key.pub)" > "$tree.allowed"
    cd "$tree"
    expect 0 git init -q
    git config user.name Kanal
    git config user.email user@kanal.invalid
    git config gpg.format ssh
    git config user.signingkey "$work/key.pub"
    git config gpg.ssh.allowedSignersFile "$tree.allowed"
    expect 0 git commit -q -S --allow-empty -m signed
    expect 0 git verify-commit -v HEAD
    printed 'Good "git" signature for user@kanal.invalid'
}

@test "pam_p11 lets a user in by the PIN, and not by a wrong one" {
    needs libpam-p11 pamtester
    # libp11 of Debian 12 stops at a GOST key, and pam_p11 then looks for ever.
    if dpkg --compare-versions "$(version libpam-p11)" lt 0.6; then
        echo "# with GOST keys hidden" >&3
        printf '[program pamtester]\nhide_keys = gost\n' >> /etc/kanal/kanal.conf
    fi
    useradd --create-home kanal-user
    install -d -o kanal-user -m 700 /home/kanal-user/.eid
    install -o kanal-user -m 600 "$work/rsa.pem" /home/kanal-user/.eid/authorized_certificates
    echo "auth required pam_p11.so $module" > /etc/pam.d/kanal-test
    echo $pin | expect 0 timeout 60 pamtester kanal-test kanal-user authenticate
    printed 'successfully authenticated'
    echo 87654321 | expect 1 timeout 60 pamtester kanal-test kanal-user authenticate
    by_kanal list
    userdel --remove kanal-user
}
