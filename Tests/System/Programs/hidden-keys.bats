#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Programs that fail at keys which they do not know, with a token that has such keys and certificates: they are hidden from
# these programs without any setting, and shown by "hide_keys =".
# bats file_tags=pcscd
load ../common

setup_file() {
    prepare
    echo "What is signed" > message
    start_pcscd
    # Keys and certificates: 01 of RSA, 02 of GOST, 03 on P-256, 04 on secp256k1.
    attach usb usb
    openssl req -x509 -newkey rsa:2048 -nodes -keyout authority.key -subj /CN=Authority -out authority.pem 2> openssl.log
    add 01 rsa:2048
    add 02 GOSTR3410-2012-256:A
    add 03 EC:prime256v1
    add 04 EC:secp256k1
    printf '#!/bin/sh\necho %s\n' $pin > askpass
    chmod 700 askpass
    # Programs see an OpenSSL without GOST.
    unset OPENSSL_CONF
}

# Generates a key pair, and stores a certificate of it.
add() {
    expect 0 pkcs11-tool --module "$module" --login --pin $pin --keypairgen --key-type "$2" --id "$1" --label "key $1"
    by_kanal key export "key $1" --output "$1.pub"
    expect 0 openssl x509 -new -force_pubkey "$1.pub" -subj "/CN=Key $1" -CA authority.pem -CAkey authority.key \
        -days 30 -outform der -out "$1.der"
    expect 0 pkcs11-tool --module "$module" --login --pin $pin --write-object "$1.der" --type cert --id "$1" --label "key $1"
}

# The objects that a program of this name sees; pkcs11-tool stands in for it.
seen_by() {
    cp "$(command -v pkcs11-tool)" "$1"
    expect 0 "./$1" --module "$module" --login --pin $pin --list-objects
    sed -n 's/^\(Private Key\|Public Key\|Certificate\) Object.*/\1/p; s/^  ID: *//p' output | sort | uniq -c | tr -s ' ' | paste -sd ,
}

# sees PROGRAM OBJECTS: the number of objects with each id.
sees() {
    local seen
    seen=$(seen_by "$1" | grep -o '[0-9]* 0[1-4]' | paste -sd ,)
    [ "$seen" = "$2" ] || fail "$1 sees $seen: $(cat output)"
}
all='3 01,3 02,3 03,3 04'
without_gost='3 01,3 03,3 04'
known='3 01,3 03'

@test "a program that is named in kanal.conf sees neither keys of the hidden families nor their certificates" {
    sees reader "$all"
    configure "[program reader]" "hide_keys = gost, other-curves"
    sees reader "$known"
    sees other "$all"
    configure "[program reader]" "hide_gost_keys = on"
    sees reader "$without_gost"
    unconfigure
}

@test "each program that is known to fail has its default, which a line of kanal.conf overrides" {
    for program in ssh ssh-keygen ssh-pkcs11-helper; do sees $program "$known"; done
    for program in gnupg-pkcs11-scd pdfsig sbsign osslsigncode login su sudo sshd sshd-session gdm-session-worker lightdm \
        sddm-helper polkit-agent-helper-1 xscreensaver-auth; do
        sees $program "$without_gost"
    done
    configure "hide_keys ="
    sees ssh "$all"
    unconfigure
}

@test "ssh-keygen prints the keys of RSA and P-256, and nothing else" {
    expect 0 ssh-keygen -D "$module"
    [ "$(cut -d ' ' -f 1 output | sort | paste -sd ,)" = ecdsa-sha2-nistp256,ssh-rsa ] || fail "$(cat output)"
    configure "hide_keys ="
    expect 0 ssh-keygen -D "$module"
    printed ssh-unknown
    unconfigure
}

@test "ssh-agent has these keys, signs with each, and stays" {
    start_agent
    expect 0 ssh-add -L
    cp output keys
    for key in ssh-rsa ecdsa-sha2-nistp256; do
        grep "^$key" keys > key.pub || fail "no key $key: $(cat keys)"
        expect 0 ssh-keygen -Y sign -f key.pub -n file message
        sed 's/^/ann /' key.pub > signers
        expect 0 ssh-keygen -Y verify -f signers -I ann -n file -s message.sig < message
        rm message.sig
    done
    goes_on "$agent" || fail "the agent has ended: $(cat agent.log)"
    stop_agent
}

@test "GnuPG learns a token with a GOST certificate, and signs with the RSA key" {
    export GNUPGHOME=$work/gnupg
    mkdir -m 700 gnupg
    pinentry "$work/pinentry" $pin
    printf '%s\n' "scdaemon-program $(command -v gnupg-pkcs11-scd)" "pinentry-program $work/pinentry" > gnupg/gpg-agent.conf
    printf '%s\n' 'providers kanal' "provider-kanal-library $module" > gnupg/gnupg-pkcs11-scd.conf
    echo disable-crl-checks > gnupg/gpgsm.conf
    configure "hide_keys ="
    expect 2 gpg --batch --card-status
    printed 'Bad certificate'
    gpgconf --kill gpg-agent
    unconfigure
    expect 0 gpg --batch --card-status
    expect 0 gpgsm --batch --import authority.pem
    expect 0 gpgsm --batch --learn-card
    expect 0 gpgsm --batch --with-colons --list-secret-keys
    printed 'CN=Key 01'
    not_printed 'CN=Key 02'
    echo "$(openssl x509 -in authority.pem -noout -fingerprint | sed 's/.*=//; s/://g') S relax" > gnupg/trustlist.txt
    expect 0 gpgsm --batch --sign --local-user '/CN=Key 01' --output signed message
    expect 0 gpgsm --batch --verify signed
    gpgconf --kill gpg-agent
}

@test "pdfsig lists the certificates that NSS knows the keys of" {
    mkdir nss
    expect 0 certutil -N -d nss --empty-password
    expect 0 modutil -force -dbdir nss -add kanal -libfile "$module"
    expect 0 pdfsig -nssdir "$work/nss" -nss-pwd $pin -list-nicks
    for key in 01 03; do printed "key $key"; done
    not_printed 'key 02'
}
