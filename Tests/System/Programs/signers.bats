#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Programs that sign files for others, by RSA and P-256 keys of an emulated token that has a GOST key, too: kernel modules, boot
# files, programs for Windows, archives of Java, packages of Android, commits of git. Other programs verify the signatures,
# without the token.
# bats file_tags=pcscd
load ../common

setup_file() {
    local name
    prepare
    unset OPENSSL_CONF
    printf %s $pin > pin
    chmod 600 pin
    pinentry "$work/asker" $pin
    start_pcscd
    attach usb usb
    for name in rsa:rsa2048 ec:p256 gost:gost256; do
        by_kanal key generate --kind "${name#*:}" --label "${name%:*}"
    done
    expect 0 openssl req -config <(printf '[req]\ndistinguished_name=name\n[name]\n') -x509 -newkey rsa:2048 -noenc \
        -keyout authority.key -out authority.pem -subj /CN=Authority -days 30 -addext basicConstraints=critical,CA:true
    printf '%s\n' keyUsage=digitalSignature extendedKeyUsage=codeSigning,emailProtection > code.cnf
    for name in rsa ec; do
        by_kanal cert request --key $name --subject CN=$name --output $name.csr
        expect 0 openssl x509 -req -in $name.csr -CA authority.pem -CAkey authority.key -days 30 -extfile code.cnf -out $name.pem
        by_kanal cert import $name.pem
    done
    make_boot_file
    echo "What is signed" > message
    provider_settings > provider.cnf
    engine_settings kanal "dynamic_path = $products/engines-3/kanal.so" > engine.cnf
    engine_settings dynamic "SO_PATH = $products/engines-3/kanal.so" 'ID = pkcs11' 'LIST_ADD = 1' 'LOAD = EMPTY' > named.cnf
    example openssl-pkcs11.cnf
    : > none.cnf
    sign_file=$(find /usr/lib/linux-kbuild-*/scripts -name sign-file | sort --version-sort | tail -n 1)
    keep sign_file
}

teardown() { unconfigure; }

# A program for EFI, which does nothing.
make_boot_file() {
    printf '.globl begin\nbegin: xor %%eax, %%eax\nret\n.data\n.quad 1\n' | as -o boot.o
    ld -m i386pep --subsystem 10 -e begin boot.o -o boot.efi
}

# Settings that have Kanal's provider under the name by which programs ask for it, with more lines of its section.
provider_settings() {
    printf '%s\n' 'openssl_conf = main' '[main]' 'providers = providers' '[providers]' 'default = software' 'pkcs11 = token' \
        '[software]' 'activate = 1' '[token]' 'module = kanal.so' "MODULE_PATH = $module" 'activate = 1' \
        "${@-PIN = $pin}"
}

# engine_settings ID LINE…: the settings of Kanal's engine.
engine_settings() {
    printf '%s\n' 'openssl_conf = main' '[main]' 'engines = engines' '[engines]' 'kanal = kanal' '[kanal]' \
        "engine_id = $1" "${@:2}" "MODULE_PATH = $module" "PIN = $pin"
}

with() { OPENSSL_CONF=$work/$1 alone "${@:2}"; }
# Runs a program without a terminal to ask at.
alone() { expect "$1" setsid --wait "${@:2}" < /dev/null; }

# ---- Kernel modules ----

# sign_module SETTINGS STATUS KEY CERTIFICATE
sign_module() {
    rm -f signed.ko
    OPENSSL_MODULES=$products/ossl-modules with "$1" "$2" "$sign_file" sha256 "$3" "$4" boot.o signed.ko
}

# Whether the module's signature is good for OpenSSL: behind the module are the message, 12 bytes of which the last four are its
# length, and a line.
verify_module() {
    local size length
    size=$(stat -c %s signed.ko)
    [ "$(tail -c 28 signed.ko)" = '~Module signature appended~' ] || fail "no signature is appended"
    length=$((16#$(tail -c 32 signed.ko | head -c 4 | od -An -tx1 | tr -d ' ')))
    head -c $((size - 40 - length)) signed.ko > content
    tail -c $((40 + length)) signed.ko | head -c $length > signature
    cmp content boot.o || fail "another module was signed"
    opens 0 content "$1"
}
opens() {
    expect "$1" openssl cms -verify -inform der -in signature -content "$2" -binary -certfile "$3" -CAfile authority.pem \
        -purpose any -out /dev/null
}

@test "sign-file signs kernel modules by the provider that is called pkcs11, with RSA and P-256" {
    local name
    for name in rsa ec; do
        sign_module provider.cnf 0 "pkcs11:object=$name;type=private" $name.pem
        verify_module $name.pem
        opens 4 message $name.pem
    done
}

@test "sign-file without a PIN, with a wrong one, and without the key names the cause, and writes no module" {
    local key="pkcs11:object=rsa;type=private"
    log_in
    provider_settings "" > unsaid.cnf
    sign_module unsaid.cnf 0 "$key?pin-source=$work/pin" rsa.pem
    # It passes neither its variable nor a question on.
    KBUILD_SIGN_PIN=$pin sign_module unsaid.cnf 1 "$key" rsa.pem
    printed 'kanal::no PIN'
    configure '[program sign-file]' "authenticator = file:$work/pin"
    sign_module unsaid.cnf 0 "$key" rsa.pem
    verify_module rsa.pem
    unconfigure
    sign_module unsaid.cnf 1 "$key?pin-value=99999999" rsa.pem
    printed 'kanal::the PIN is wrong'
    has_tries 9
    log_in
    sign_module provider.cnf 1 "pkcs11:object=none;type=private" rsa.pem
    printed 'kanal::no such object on the token'
    sign_module provider.cnf 1 "$key" ec.pem
    printed 'private key does not match certificate'
    sign_module provider.cnf 1 "pkcs11:object=gost;type=private" rsa.pem
    sign_module none.cnf 1 "$key" rsa.pem
    printed 'OSSL_PROVIDER_try_load(pkcs11)'
    [ ! -e signed.ko ] || fail "a module was written"
}

# ---- Boot files and programs for Windows ----

# Whether a file is signed with a key, for two programs; osslsigncode 2.5 refuses whatever sbsign has signed.
verify_program() {
    expect 0 sbverify --cert authority.pem "$1"
    expect 0 sbverify --list "$1"
    printed "subject: /CN=$2\$"
    if [ "$1" = signed.exe ] || ! osslsigncode --version | grep -q '^osslsigncode 2\.5,'; then
        expect 0 osslsigncode verify -CAfile authority.pem -in "$1"
        printed '^Signature verification: ok'
    fi
}

# sign_boot_file SETTINGS STATUS ENGINE KEY [CERTIFICATE]
sign_boot_file() {
    rm -f signed.efi
    with "$1" "$2" sbsign --engine "$3" --key "$4" --cert "${5:-rsa.pem}" --output signed.efi boot.efi
    [ "$2" = 0 ] || [ ! -e signed.efi ] || fail "a file was written"
}

@test "sbsign signs boot files by Kanal's engine, by its name and as pkcs11, beside a GOST key" {
    local name
    for name in rsa ec; do
        sign_boot_file engine.cnf 0 kanal "pkcs11:object=$name" $name.pem
        verify_program signed.efi $name
        sign_boot_file named.cnf 0 pkcs11 "pkcs11:object=$name" $name.pem
        verify_program signed.efi $name
    done
    printf x | dd of=signed.efi bs=1 seek=1030 conv=notrunc status=none
    expect 1 sbverify --cert authority.pem signed.efi
    sign_boot_file engine.cnf 1 kanal "pkcs11:object=none"
    sign_boot_file engine.cnf 1 kanal "pkcs11:object=rsa" ec.pem
    printed 'key type mismatch'
    log_in
    sign_boot_file engine.cnf 1 kanal "pkcs11:object=rsa?pin-value=99999999"
    has_tries 9
    log_in
}

@test "sbsign signs by libp11's engine, because GOST keys are hidden from it" {
    local name
    configure 'hide_keys ='
    sign_boot_file openssl-pkcs11.cnf 1 pkcs11 "pkcs11:object=rsa;type=private"
    printed 'The private key was not found'
    unconfigure
    for name in rsa ec; do
        sign_boot_file openssl-pkcs11.cnf 0 pkcs11 "pkcs11:object=$name;type=private" $name.pem
        verify_program signed.efi $name
    done
}

# sign_program SETTINGS STATUS KEY [CERTIFICATE]
sign_program() {
    rm -f signed.exe
    with "$1" "$2" osslsigncode sign -pkcs11module "$module" -certs "${4:-rsa.pem}" -key "$3" -h sha256 \
        -in boot.efi -out signed.exe
    [ "$2" = 0 ] || [ ! -e signed.exe ] || fail "a file was written"
}

@test "osslsigncode signs programs by Kanal's engine as pkcs11, beside a GOST key" {
    local name
    for name in rsa ec; do
        sign_program named.cnf 0 "pkcs11:object=$name" $name.pem
        verify_program signed.exe $name
    done
    sign_program named.cnf 255 "pkcs11:object=none"
    printed 'no private key matches; there is .*object=rsa'
    sign_program named.cnf 255 "pkcs11:object=rsa" ec.pem
    printed 'key type mismatch'
    log_in
    sign_program named.cnf 255 "pkcs11:object=rsa?pin-value=99999999"
    printed 'kanal:.*the PIN is wrong'
    has_tries 9
    log_in
}

@test "osslsigncode signs by libp11's engine, because GOST keys are hidden from it" {
    local name
    configure 'hide_keys ='
    sign_program none.cnf 255 "pkcs11:object=rsa;pin-value=$pin"
    printed 'object not found'
    unconfigure
    for name in rsa ec; do
        sign_program none.cnf 0 "pkcs11:object=$name;pin-value=$pin" $name.pem
        verify_program signed.exe $name
    done
}

# ---- Java ----

java_settings() {
    example java.cfg
    echo "slot = $slot" >> java.cfg
}

# Whether OpenSSL finds an archive signed with a key.
verify_archive() {
    rm -rf META-INF
    expect 0 python3 -m zipfile -e "$1" .
    expect 0 openssl cms -verify -inform der -in META-INF/"${2^^}".[ER]* -content "META-INF/${2^^}.SF" -binary -purpose any \
        -CAfile authority.pem -out /dev/null
}

@test "jarsigner signs with RSA and P-256 beside a GOST key" {
    local name store
    java_settings
    store=(-keystore NONE -storetype PKCS11 -providerClass sun.security.pkcs11.SunPKCS11 -providerArg java.cfg -storepass:file pin)
    expect 0 jar cf archive.jar message
    for name in rsa ec; do
        expect 0 jarsigner "${store[@]}" -signedjar signed.jar archive.jar $name
        expect 0 jarsigner -verify signed.jar
        printed '^jar verified'
        verify_archive signed.jar $name
    done
}

# A manifest without attributes, in Android's binary form: a text, the beginning and the end of its element.
make_package() {
    local none='\xff\xff\xff\xff'
    {
        printf '\x03\0\x08\0\x70\0\0\0\x01\0\x1c\0\x2c\0\0\0\x01\0\0\0\0\0\0\0\0\x01\0\0\x20\0\0\0\0\0\0\0\0\0\0\0\x08\x08manifest\0\0'
        printf "\x02\x01\x10\0\x24\0\0\0\x01\0\0\0$none$none\0\0\0\0\x14\0\x14\0\0\0\0\0\0\0\0\0"
        printf "\x03\x01\x10\0\x18\0\0\0\x01\0\0\0$none$none\0\0\0\0"
    } > AndroidManifest.xml
    rm -f package.apk
    python3 -m zipfile -c package.apk AndroidManifest.xml message
}

# sign_package STATUS NAME OPTION…: by the provider of the settings token.security.
sign_package() {
    alone "$1" apksigner "${@:3}" sign --ks NONE --ks-type PKCS11 --ks-pass "file:$work/pin" --ks-key-alias "$2" \
        --min-sdk-version 21 --out signed.apk package.apk
}

@test "apksigner signs with RSA and P-256 of Java's provider, three ways of the format" {
    local name version
    java_settings
    make_package
    echo "security.provider.12=SunPKCS11 $work/java.cfg" > token.security
    for name in rsa ec; do
        sign_package 0 $name -JDjava.security.properties="$work/token.security"
        expect 0 apksigner verify --verbose --min-sdk-version 21 signed.apk
        for version in v1 v2 v3; do printed "^Verified using $version .*: true"; done
        verify_archive signed.apk $name
    done
    printf x | dd of=signed.apk bs=1 seek=60 conv=notrunc status=none
    expect 1 apksigner verify --min-sdk-version 24 signed.apk
    rm signed.apk
    # Its own option finds no class: the module of Java is closed.
    expect 2 apksigner sign --ks-provider-class sun.security.pkcs11.SunPKCS11 --ks-provider-arg java.cfg --ks NONE \
        --ks-type PKCS11 --ks-pass "file:$work/pin" --ks-key-alias rsa --min-sdk-version 21 --out signed.apk package.apk
    printed 'does not export sun.security.pkcs11'
    [ ! -e signed.apk ] || fail "a package was written"
}

# ---- git ----

# A repository, with settings.
tree() {
    rm -rf tree
    expect 0 git init -q tree
    cd tree
    git config user.name Kanal
    git config user.email user@kanal.invalid
    while [ $# -gt 0 ]; do
        git config "$1" "$2"
        shift 2
    done
}

# sign_commit KEY: a commit and a tag, which git verifies; one with another text is refused.
sign_commit() {
    local changed
    expect 0 git -c "user.signingkey=$1" commit -q -S --allow-empty -m "signed by a token"
    expect 0 git verify-commit HEAD
    printed 'Good .*signature'
    expect 0 git log -1 '--format=%G?' HEAD
    printed '^G$'
    changed=$(git cat-file commit HEAD | sed 's/^signed by/changed by/' | git hash-object -t commit -w --stdin)
    expect 1 git verify-commit "$changed"
    git tag -d release > /dev/null 2>&1 || true
    expect 0 git -c "user.signingkey=$1" tag -s -m release release
    expect 0 git verify-tag release
}

@test "git signs by OpenSSH's agent with RSA and P-256; without the agent it signs nothing" {
    local type key
    start_agent
    ssh-add -L > keys
    [ "$(wc -l < keys)" = 2 ] || fail "other keys: $(cat keys)"
    expect 0 ssh-keygen -q -t ed25519 -N '' -f other
    tree gpg.format ssh gpg.ssh.allowedSignersFile "$work/allowed"
    while read -r type key _; do
        echo "user@kanal.invalid $type $key" > ../allowed
        sign_commit "key::$type $key"
echo "user@kanal.invalid $(cat ../other.pub)" > ../allowed
        expect 1 git verify-commit HEAD
    done < ../keys
    stop_agent
    expect 128 git -c "user.signingkey=key::$type $key" commit -q -S --allow-empty -m refused
}

@test "git signs by gpgsm and gnupg-pkcs11-scd with RSA; gpgsm verifies without the token" {
    local name
    export GNUPGHOME=$work/gnupg
    mkdir -m 700 gnupg verifier
    printf '%s\n' "scdaemon-program $(command -v gnupg-pkcs11-scd)" "pinentry-program $work/asker" > gnupg/gpg-agent.conf
    printf '%s\n' 'providers kanal' "provider-kanal-library $module" > gnupg/gnupg-pkcs11-scd.conf
    for name in gnupg verifier; do
        echo disable-crl-checks > $name/gpgsm.conf
        openssl x509 -in authority.pem -noout -fingerprint -sha1 | sed 's/.*=//; s/$/ S relax/' > $name/trustlist.txt
        GNUPGHOME=$work/$name expect 0 gpgsm --batch --import authority.pem
    done
    expect 0 gpgsm --batch --learn-card
    GNUPGHOME=$work/verifier expect 0 gpgsm --batch --import rsa.pem
    tree gpg.format x509
    sign_commit "0x$(openssl x509 -in ../rsa.pem -noout -fingerprint -sha1 | sed 's/.*=//; s/://g')"
    GNUPGHOME=$work/verifier expect 0 git verify-commit HEAD
    printed 'Good signature from "/CN=rsa"'
    # It knows no keys of P-256.
    expect 128 git -c "user.signingkey=0x$(openssl x509 -in ../ec.pem -noout -fingerprint -sha1 | sed 's/.*=//; s/://g')" \
        commit -q -S --allow-empty -m refused
    gpgconf --kill gpg-agent
    GNUPGHOME=$work/verifier gpgconf --kill gpg-agent
}
