#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Encrypted messages of "kanal encrypt" and "kanal decrypt", with keys of a token and of files, both ways with OpenSSL and its
# gost engine, with this project's provider, and with BouncyCastle (libbcpkix-java); gpgsm and NSS open them.
# bats file_tags=command
load ../common
load command
load ../Provider/provider

setup_file() {
    prepare
    start_pcscd
    head -c 1000 /dev/urandom > message
    head -c 600000 /dev/urandom > long
    attach usb state-usb
    certificates
}

# opened FILE MESSAGE: whether the token's key opens a message to the content of a file.
opened() {
    rm -f opened
    as_user 0 decrypt "$2" --output opened
    cmp "$1" opened || fail "$2 was opened to something else"
}
# Certificates of an authority, for keys of files and of the token.
certificates() {
    local name algorithm
    expect 0 openssl req -x509 -newkey gost2012_256 -pkeyopt paramset:A -nodes -keyout root.key -out root.pem -days 30 \
        -subj /CN=Root -addext basicConstraints=CA:true
    while read -r name algorithm; do
        # shellcheck disable=SC2086
        expect 0 openssl req -newkey $algorithm -nodes -keyout $name.key -out request -subj /CN=$name
        expect 0 openssl x509 -req -in request -CA root.pem -CAkey root.key -CAcreateserial -out $name.pem -days 30
        expect 0 openssl pkcs8 -topk8 -nocrypt -in $name.key -outform DER -out $name.p8
        expect 0 openssl x509 -in $name.pem -outform DER -out $name.cer
    done << 'END'
file-gost256 gost2012_256 -pkeyopt paramset:A
file-gost512 gost2012_512 -pkeyopt paramset:A
file-gost2001 gost2001 -pkeyopt paramset:A
file-rsa rsa:2048
file-p256 ec -pkeyopt ec_paramgen_curve:P-256
END
    for name in gost256 gost512 rsa2048 p256; do
        local agree=--agree
        [ $name = rsa2048 ] && agree=
        as_user 0 key generate --kind $name --label $name $agree
        as_user 0 cert request --key $name --subject CN=$name --output request --overwrite
        expect 0 openssl x509 -req -in request -CA root.pem -CAkey root.key -CAcreateserial -out $name.pem -days 30
        expect 0 openssl x509 -in $name.pem -outform DER -out $name.cer
        as_user 0 cert import $name.pem
    done
}

@test "messages of OpenSSL and gost-engine are opened, in DER, BER, PEM and S/MIME" {
    local name cipher file
    for name in gost256 gost512; do
        for cipher in gost89 kuznyechik-ctr-acpkm kuznyechik-ctr-acpkm-omac magma-ctr-acpkm magma-ctr-acpkm-omac; do
            for file in message long; do
                expect 0 openssl cms -encrypt -binary -in $file -outform der -out enveloped -$cipher $name.pem
                opened $file enveloped
                expect 0 openssl cms -encrypt -binary -stream -indef -in $file -outform der -out enveloped -$cipher $name.pem
                opened $file enveloped
            done
        done
    done
    for name in rsa2048 p256; do
        for cipher in aes128 aes256 aes-256-gcm des3; do
            # Keys of Triple DES are wrapped by Triple DES.
            [ $name-$cipher != p256-des3 ] || continue
            expect 0 openssl cms -encrypt -binary -in long -outform der -out enveloped -$cipher $name.pem
            opened long enveloped
        done
    done
    expect 0 openssl cms -encrypt -binary -in long -outform der -out enveloped -aes256 -recip rsa2048.pem \
        -keyopt rsa_padding_mode:oaep -keyopt rsa_oaep_md:sha256
    opened long enveloped
    expect 0 openssl cms -encrypt -binary -in long -outform pem -out enveloped -aes256 rsa2048.pem p256.pem
    opened long enveloped
    expect 0 openssl cms -encrypt -binary -in long -outform smime -out enveloped -aes256 rsa2048.pem
    opened long enveloped
}

# decrypts NAME FILE: OpenSSL opens the message "encrypted" with a key of a file.
decrypts() {
    expect 0 openssl cms -decrypt -binary -inkey file-$1.key -recip file-$1.pem -inform der -in encrypted -out opened
    cmp $2 opened || fail "OpenSSL opens a message for $1 to something else"
}

# gost-engine 3.0.1 changes the key of ACPKM too early when it
# decrypts, so that it reads 1 KiB of Magma and 4 KiB of Kuznyechik, of its own messages, too.
@test "OpenSSL and gost-engine open messages, also to all kinds of keys at once" {
    local name cipher
    for name in gost256 gost512; do
        for cipher in gost28147 aes256-cbc aes256-gcm; do
            kanal_exits 0 encrypt long --to file-$name.pem --cipher $cipher --overwrite --output encrypted
            decrypts $name long
        done
        for cipher in kuznyechik-omac kuznyechik magma-omac magma; do
            kanal_exits 0 encrypt message --to file-$name.cer --cipher $cipher --overwrite --output encrypted
            decrypts $name message
        done
    done
    for name in gost256 gost512 gost2001 rsa p256; do
        kanal_exits 0 encrypt long --to file-$name.pem --for openssl --overwrite --output encrypted
        decrypts $name long
    done
    kanal_exits 0 encrypt long --to file-gost2001.pem --overwrite --output encrypted
    decrypts gost2001 long
    for name in rsa p256; do
        for cipher in aes256-gcm aes256-cbc; do
            kanal_exits 0 encrypt long --to file-$name.pem --cipher $cipher --overwrite --output encrypted
            decrypts $name long
        done
    done
    kanal_exits 0 encrypt long --to file-rsa.pem --padding pkcs1 --overwrite --output encrypted
    decrypts rsa long
    cat file-*.pem > all.pem
    kanal_exits 0 encrypt long --to all.pem --to gost512.pem --overwrite --output encrypted
    for name in gost256 gost512 gost2001 rsa p256; do decrypts $name long; done
    opened long encrypted
    "$kanal" encrypt - --to file-rsa.pem < long > encrypted
    decrypts rsa long
}

@test "the provider opens messages of several sections with the token's keys" {
    local name cipher
    provider_settings
    for name in gost256 gost512; do
        for cipher in gost28147 kuznyechik magma; do
            kanal_exits 0 encrypt long --to $name.pem --cipher $cipher --overwrite --output encrypted
            by 0 cms -decrypt -binary -inkey "pkcs11:object=$name;pin-value=$pin" -recip $name.pem -inform der -in encrypted -out opened
            cmp long opened || fail "the provider opens a message for $name to something else"
            opened long encrypted
        done
    done
}

@test "BouncyCastle opens messages, and its messages are opened" {
    local name cipher classes
    classes=$(printf '/usr/share/java/%s.jar:' bcprov bcpkix bcutil)
    java_with() { expect 0 java -cp "$classes$work" Envelopes "$@"; }
    [ -e /usr/share/java/bcpkix.jar ] || fail "no BouncyCastle: apt-get install libbcpkix-java"
    expect 0 javac -cp "$classes" -d . "$root/Tests/Programs/Messages/Envelopes.java"
    for name in gost256 rsa2048 p256; do
        for cipher in cbc gcm gost; do
            case $name-$cipher in *-gost | gost256-*) [ $name-$cipher = gost256-gost ] || continue ;; esac
            java_with encrypt $cipher $name.cer long enveloped
            opened long enveloped
        done
    done
    kanal_exits 0 encrypt long --to file-gost256.pem --cipher gost28147 --overwrite --output encrypted
    java_with decrypt ECGOST3410-2012 file-gost256.p8 encrypted opened
    cmp long opened
    for cipher in aes256-cbc aes256-gcm; do
        kanal_exits 0 encrypt long --to file-rsa.pem --cipher $cipher --overwrite --output encrypted
        java_with decrypt RSA file-rsa.p8 encrypted opened
        cmp long opened
    done
    kanal_exits 0 encrypt long --to file-p256.pem --cipher aes256-cbc --overwrite --output encrypted
    java_with decrypt EC file-p256.p8 encrypted opened
    cmp long opened
}

@test "gpgsm and NSS open what --for writes for them" {
    export GNUPGHOME=$work/gnupg
    mkdir -m 700 "$GNUPGHOME" nss
    echo allow-loopback-pinentry > "$GNUPGHOME/gpg-agent.conf"
    expect 0 openssl req -x509 -newkey rsa:2048 -nodes -keyout mail.key -out mail.pem -subj /CN=Mail -days 30 \
        -addext keyUsage=keyEncipherment
    expect 0 openssl pkcs12 -export -inkey mail.key -in mail.pem -passout pass:secret -out mail.pfx \
        -keypbe PBE-SHA1-3DES -certpbe PBE-SHA1-3DES -macalg sha1
    local gpgsm=(gpgsm --batch --pinentry-mode loopback --passphrase-fd 0 --disable-crl-checks --disable-policy-checks)
    timeout 60 "${gpgsm[@]}" --import mail.pfx <<< secret 2> messages 3> /dev/null || fail "gpgsm: $(cat messages)"
    kanal_exits 0 encrypt long --to mail.pem --for gpgsm --overwrite --output encrypted
    timeout 60 "${gpgsm[@]}" --decrypt encrypted <<< secret > opened 2> messages 3> /dev/null || fail "gpgsm: $(cat messages)"
    gpgconf --kill all
    cmp long opened
    expect 0 certutil -N -d sql:nss --empty-password
    expect 0 pk12util -i mail.pfx -d sql:nss -W secret
    kanal_exits 0 encrypt long --to mail.pem --for nss --overwrite --output encrypted
    expect 0 cmsutil -D -d sql:nss -i encrypted -o opened
    cmp long opened
}

@test "what does not open ends with its cause, and leaves nothing" {
    rm -f text text.enc
    kanal_exits 0 encrypt message --to gost256.pem --output text.enc
    kanal_exits 1 encrypt message --to gost256.pem --output text.enc
    told 'is there already'
    kanal_exits 2 encrypt message --to gost256.pem --to gost256.cer
    told 'is named twice'
    as_user 1 decrypt text.enc --output message
    told 'is there already'
    python3 - << 'END'
octets = bytearray(open("text.enc", "rb").read())
octets[len(octets) // 2] ^= 1
open("changed.enc", "wb").write(octets)
open("cut.enc", "wb").write(octets[:-3])
END
    as_user 1 decrypt changed.enc
    told 'the message is not opened: '
    as_user 1 decrypt cut.enc
    told 'truncated'
    kanal_exits 0 encrypt message --to file-gost256.pem --overwrite --output text.enc
    as_user 1 decrypt text.enc
    told 'encrypted to others'
    as_user 0 key generate --kind gost256 --label signer
    as_user 0 cert request --key signer --subject CN=signer --output request --overwrite
    expect 0 openssl x509 -req -in request -CA root.pem -CAkey root.key -CAcreateserial -out signer.pem -days 30
    as_user 0 cert import signer.pem
    kanal_exits 0 encrypt message --to signer.pem --overwrite --output text.enc
    as_user 1 decrypt text.enc
    told 'may not agree'
    for file in text changed cut; do [ ! -e $file ] || fail "$file was written"; done
    [ -z "$(ls ./*.part 2> /dev/null)" ] || fail "a file is left: $(ls)"
}

# peak WORD...: the command's peak memory, in KiB.
peak() {
    python3 - "$kanal" "$@" << 'END'
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdin=subprocess.DEVNULL, stdout=sys.stderr)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
END
}

@test "200 MiB are encrypted and decrypted in 40 MiB of memory" {
    local most
    head -c $((200 << 20)) /dev/zero > large
    for words in "encrypt large --to gost256.pem --output large.enc" \
        "decrypt --pin-source env:PIN large.enc --output large.out"; do
        # shellcheck disable=SC2086
        most=$(peak $words 2> messages) || fail "$(cat messages)"
        [ "$most" -le $((40 << 10)) ] || fail "kanal $words takes $most KiB"
    done
    cmp large large.out
    rm large large.enc large.out
}

@test "a signed report is encrypted, opened and verified (docs/Forms.md)" {
    rm -f report.xml*
    cp message report.xml
    kanal_exits 0 sign --cms --key gost256 --pin-source env:PIN report.xml
    kanal_exits 0 encrypt report.xml.p7m --to gost512.pem
    rm report.xml.p7m
    as_user 0 decrypt report.xml.p7m.enc
    kanal_exits 0 verify --ca root.pem report.xml.p7m --output opened --overwrite
    cmp report.xml opened || fail "another report"
}
