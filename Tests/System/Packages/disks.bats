#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Volumes of LUKS2 that keys of a token open: enrolled by systemd-cryptenroll and opened by cryptsetup, in the Debians of disks.sh,
# with systemd 252, 257 and 262. A volume is a file, which no device is mapped to. All use the pcscd of the newest Debian, whose
# clients may be older.
# bats file_tags=night
load ../common
load systemd
load booted

systems='bookworm trixie sid'
newer='trixie sid'
roots=$root/.build/chroots/disks
secret=/volumes/passphrase
typed=$pin

setup_file() {
    local system kind
    [ "${KANAL_APART:-}" = yes ] && [ -e "$roots/sid/made" ] || fail "start it by Tests/System/Packages/disks.sh"
    prepare
    unset OPENSSL_CONF
    mkdir volumes
    (umask 077 && printf passphrase > volumes/passphrase)
    for system in $systems; do
        mkdir -p "$roots/$system/volumes"
        mount --bind "$work/volumes" "$roots/$system/volumes"
        mount --bind /run "$roots/$system/run"
        mount -t proc proc "$roots/$system/proc"
        mount -t tmpfs tmpfs "$roots/$system/tmp"
        mkdir -p "$roots/$system/etc/kanal"
        mount -t tmpfs tmpfs "$roots/$system/etc/kanal"
        install -m 755 "$module" "$roots/$system/usr/lib/libkanal-pkcs11.so"
        sed 's|/usr/local/lib|/usr/lib|' "$root/p11-kit/kanal.module" > "$roots/$system/usr/share/p11-kit/modules/kanal.module"
        echo "# $system: $(chroot "$roots/$system" dpkg-query --show --showformat='${Package} ${Version}, ' \
            systemd cryptsetup-bin libp11-kit0 libpcsclite1)" >&3
    done
    launch chroot "$roots/sid" pcscd --foreground --disable-polkit > pcscd.log 2>&1
    wait_until ./readers || fail "pcscd does not start: $(cat pcscd.log)"
    wait_until sh -c './readers | grep -q "Virtual PCD"' || fail "pcscd has no virtual reader: $(cat pcscd.log)"

    # certified-rsa has the id 01, and so on.
    attach usb main
    inserted=main
    keep inserted
    by_kanal key generate --label certified-rsa --kind rsa2048
    by_kanal key generate --label rsa --kind rsa2048
    by_kanal key generate --label certified-p256 --kind p256 --agree
    by_kanal key generate --label p256 --kind p256 --agree
    by_kanal key generate --label signs --kind p256
    by_kanal key generate --label gost --kind gost256
    expect 0 openssl req -x509 -newkey rsa:2048 -noenc -keyout authority.key -out authority.pem -subj /CN=Authority -days 30
    for kind in certified-rsa certified-p256; do
        by_kanal cert request --key $kind --subject CN=$kind --output $kind.csr
        expect 0 openssl x509 -req -CA authority.pem -CAkey authority.key -CAcreateserial -days 30 -in $kind.csr -out $kind.pem
        by_kanal cert import $kind.pem
    done
}

teardown() {
    shut_down
    rm -f "$roots"/*/etc/kanal/kanal.conf
    bring main
}

# Puts the token of a directory into the reader, unless it is there.
bring() {
    [ "$inserted" != "$1" ] || return 0
    detach
    attach usb "$1"
    inserted=$1
    keep inserted
}

# The same, for a token with the main one's contents, which the test may change.
bring_copy() {
    detach
    cp -a main "$1"
    bring "$1"
}

# Sets $in, which runs a command in a system. Programs that ask for a PIN and have no terminal read $PIN.
in_system() { in=(chroot "$roots/$1" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 "PIN=$typed"); }

# Makes a volume that a passphrase opens: system, name.
format() {
    in_system "$1"
    rm -f "volumes/$2"
    truncate --size 20M "volumes/$2"
    expect 0 "${in[@]}" cryptsetup --batch-mode luksFormat --type luks2 --key-size 256 --pbkdf pbkdf2 --pbkdf-force-iterations 1000 \
        "/volumes/$2" $secret
}

# Has a token open the volume, too: exit status, system, name, URI, options.
enrols() {
    in_system "$2"
    expect "$1" "${in[@]}" systemd-cryptenroll --unlock-key-file $secret --pkcs11-token-uri "$4" "${@:5}" "/volumes/$3" < /dev/null
}

# Tries to open the volume by a token alone: exit status, system, name.
opens() {
    in_system "$2"
    echo "$typed" > typed
    expect "$1" "${in[@]}" cryptsetup open --verbose --test-passphrase --token-only "/volumes/$3" < typed
    if [ "$1" = 0 ]; then printed '^Key slot [1-9] unlocked\.'; else not_printed 'unlocked\.$'; fi
}

# The part of the system's services that opens a volume at start. It never gets so far as to open one here.
fails_at_start() {
    in_system "$1"
    expect 1 "${in[@]}" SYSTEMD_CRYPTSETUP_USE_TOKEN_MODULE=0 \
        "$(cd "$roots/$1" && find usr/lib/systemd usr/bin -name systemd-cryptsetup -printf '/%p\n' -quit)" attach volume "/volumes/$2" - \
        pkcs11-uri=auto,headless=true,token-timeout=1s
    not_printed 'decrypted\|Failed to activate'
}

key() { echo "pkcs11:serial=$serial;id=%$1"; }
metadata() { sed 's/,/,\n/g' <(head --bytes 16384 "volumes/$1" | tr -d '\0') | grep -a -o "\"$2\":\"[^\"]*\""; }

# ---- Which keys ----

@test "all enrol an RSA key with a certificate by its id, beside other keys, and open the volume" {
    local system
    for system in $systems; do
        format $system volume
        enrols 0 $system volume "$(key 01)"
        opens 0 $system volume
    done
    [ "$(metadata volume pkcs11-padding)" = '"pkcs11-padding":"oaep-sha256"' ] || fail "systemd 262 did not use OAEP"
}

@test "systemd 257 and 262 enrol RSA and P-256 keys without certificates; 252 refuses them" {
    local system id
    for id in 02 04; do
        for system in $newer; do
            format $system volume
            enrols 0 $system volume "$(key $id)"
            opens 0 $system volume
        done
        format bookworm volume
        enrols 1 bookworm volume "$(key $id)"
        printed 'Failed to find selected X509 certificate on token'
    done
}

@test "systemd 252 refuses a P-256 key with a certificate; 257 and 262 enrol it" {
    local system
    format bookworm volume
    enrols 1 bookworm volume "$(key 03)"
    echo "# systemd 252: $(tail -n 1 output)" >&3
    for system in $newer; do
        format $system volume
        enrols 0 $system volume "$(key 03)"
        opens 0 $system volume
    done
}

@test "a GOST key is refused at enrolment" {
    local system
    for system in $systems; do
        format $system volume
        enrols 1 $system volume "$(key 06)"
        printed 'Failed to read a found public key\|Failed to find selected X509 certificate'
        opens 1 $system volume
    done
}

@test "a P-256 key made without --agree is enrolled, and opens nothing" {
    local system
    for system in $newer; do
        format $system volume
        enrols 0 $system volume "$(key 05)"
        opens 1 $system volume
        printed 'Failed to find selected private key suitable for decryption or derivation on token'
    done
}

@test "RSA keys of an ECP 2.0 and an ECP SC open volumes, too" {
    local identity system
    for identity in ecp2 sc; do
        detach
        attach $identity $identity
        inserted=$identity
        keep inserted
        by_kanal key generate --label rsa --kind rsa2048
        for system in $newer; do
            format $system volume
            enrols 0 $system volume "$(key 01)"
            opens 0 $system volume
        done
    done
}

# ---- Which volumes move between systems ----

@test "a volume whose RSA key 252 or 257 enrolled opens in all; one of 262 in 262 alone, until 257 enrols the key" {
    local from to
    for from in $systems; do
        format bookworm rsa-$from
        enrols 0 $from rsa-$from "$(key 01)"
        opens 0 $from rsa-$from
    done
    for from in bookworm trixie; do
        for to in $systems; do opens 0 $to rsa-$from; done
    done
    for to in bookworm trixie; do
        opens 1 $to rsa-sid
        printed 'Failed to decrypt key on security token'
    done
    # Of a key without a certificate, which 252 does not enrol.
    format trixie rsa-plain
    enrols 0 trixie rsa-plain "$(key 02)"
    for to in $systems; do opens 0 $to rsa-plain; done
    # Enrolled a second time, it is the first that the older system tries.
    enrols 0 trixie rsa-sid "$(key 01)"
    opens 1 trixie rsa-sid
    enrols 0 trixie rsa-sid "$(key 01)" --wipe-slot pkcs11
    for to in $systems; do opens 0 $to rsa-sid; done
}

@test "a volume of a P-256 key opens in 257 and 262, whichever enrolled the key, and not in 252" {
    local from to
    for from in $newer; do
        format bookworm p256-$from
        enrols 0 $from p256-$from "$(key 04)"
        for to in $newer; do opens 0 $to p256-$from; done
        opens 1 bookworm p256-$from
        printed 'Failed to find selected private key suitable for decryption on token'
    done
}

# ---- URIs ----

@test "a key's label names it as its id does" {
    local system
    for system in $systems; do
        format $system volume
        enrols 0 $system volume "pkcs11:serial=$serial;object=certified-rsa"
        opens 0 $system volume
    done
}

@test "a URI of a private key, as \"kanal list --uris\" shows it, is refused at enrolment; type=public serves" {
    local system
    for system in $systems; do
        format $system volume
        enrols 1 $system volume "$(key 01);type=private"
        printed 'Selected PKCS#11 object is not .*, refusing'
    done
    for system in $newer; do
        enrols 0 $system volume "$(key 01);type=public"
        opens 0 $system volume
    done
}

@test "a URI that names no token is looked up on another module's first" {
    local system
    for system in $newer; do
        format $system volume
        enrols 1 $system volume "pkcs11:id=%01"
        printed 'System Trust'
    done
}

@test "with systemd 252 type=cert is enrolled, and opens nothing" {
    format bookworm volume
    enrols 0 bookworm volume "$(key 01);type=cert"
    opens 1 bookworm volume
    printed 'Selected PKCS#11 object is not a private key, refusing'
}

@test "systemd 257 and 262 refuse to enrol auto if the token has several keys" {
    local system
    for system in $newer; do
        format $system volume
        enrols 1 $system volume auto
        printed 'Provided URI matches multiple public keys, refusing'
    done
}

@test "a volume enrolled by auto opens while its key is alone; a second key, also GOST, ends that, unless it is hidden" {
    local system
    bring single
    by_kanal key generate --label rsa --kind rsa2048
    for system in $newer; do
        format $system auto-$system
        enrols 0 $system auto-$system auto
        opens 0 $system auto-$system
    done
    by_kanal key generate --label gost --kind gost256
    for system in $newer; do
        opens 1 $system auto-$system
        printed 'Configured private key URI matches multiple keys, refusing'
        printf '[program cryptsetup]\nhide_keys = gost\n' > "$roots/$system/etc/kanal/kanal.conf"
        opens 0 $system auto-$system
    done
}

# ---- What goes wrong ----

@test "a wrong PIN costs one try, is named, and opens nothing" {
    local system
    for system in $systems; do
        format $system volume
        enrols 0 $system volume "$(key 01)"
        [ "$(tries)" = 10 ]
        typed=87654321
        opens 1 $system volume
        printed "PIN for token '.*' is incorrect"
        has_tries 9
        fails_at_start $system volume
        printed "PIN for token '.*' is incorrect"
        has_tries 8
        # systemd 252 then waits for an answer by systemd-ask-password.
        if [ $system != bookworm ]; then
            enrols 1 $system volume "$(key 01)"
            printed "PIN for token '.*' is incorrect"
            has_tries 7
        fi
        typed=$pin
        opens 0 $system volume
    done
}

@test "a locked PIN is named, the last try before, and nothing opens" {
    local system
    for system in $systems; do
        format $system volume-$system
        enrols 0 $system volume-$system "$(key 01)"
    done
    bring_copy locked
    typed=87654321
    for _ in {2..10}; do opens 1 sid volume-sid; done
    has_tries 1
    opens 1 sid volume-sid
    printed 'final try'
    typed=$pin
    for system in $systems; do
        opens 1 $system volume-$system
        printed 'PIN has been locked, please reset PIN of security token'
        fails_at_start $system volume-$system
        printed 'PIN has been locked, please reset PIN of security token'
    done
}

@test "without the token, or with another one, nothing opens; the service and the enrolment name the token" {
    local system uri
    uri=$(key 01)
    for system in $systems; do
        format $system volume-$system
        enrols 0 $system volume-$system "$uri"
    done
    detach
    inserted=
    keep inserted
    for _ in absent other; do
        for system in $systems; do
            opens 1 $system volume-$system
            fails_at_start $system volume-$system
            printed "Security token $uri not present for unlocking volume volume, please plug it in"
            enrols 1 $system volume-$system "$uri"
            printed "Specified PKCS#11 token with URI '$uri' not found"
        done
        bring other
    done
}

@test "a token that has lost the key, or has another one with its id, opens nothing" {
    local system
    for system in $systems; do
        format $system volume-$system
        enrols 0 $system volume-$system "$(key 01)"
    done
    bring_copy lost
    by_kanal cert delete --yes certified-rsa
    by_kanal key delete --yes certified-rsa
    for system in $systems; do
        opens 1 $system volume-$system
        printed 'Failed to find selected private key suitable for decryption'
    done
    by_kanal key generate --label certified-rsa --kind rsa2048 --id 01
    for system in $systems; do
        opens 1 $system volume-$system
        printed 'Failed to decrypt key on security token'
    done
}

# ---- At start ----

@test "a file that kanal.conf names answers for the user; a wrong PIN there costs one try" {
    local system
    for system in $systems; do
        format $system volume
        enrols 0 $system volume "$(key 01)"
        printf '[program cryptsetup]\nauthenticator = file:/etc/kanal/token.pin\n' > "$roots/$system/etc/kanal/kanal.conf"
        (umask 077 && printf $pin > "$roots/$system/etc/kanal/token.pin")
        typed=
        opens 0 $system volume
        printed 'via protected authentication path'
        printf 87654321 > "$roots/$system/etc/kanal/token.pin"
        opens 1 $system volume
        printed 'Failed to log into security token'
        has_tries 9
        typed=$pin
        rm "$roots/$system/etc/kanal/kanal.conf"
        opens 0 $system volume
    done
}

# Of the unit that crypttab's line becomes, with pcscd's socket before it.
@test "a volume with _netdev can wait for pcscd; without it pcscd comes too late" {
    local system
    for system in $systems; do
        in_system $system
        # shellcheck disable=SC2016
        expect 0 "${in[@]}" sh -ec '
            printf "%s\n" "early /dev/loop7 - pkcs11-uri=auto" "late /dev/loop7 - pkcs11-uri=auto,_netdev" > /tmp/crypttab
            for name in early late; do
                mkdir -p "/tmp/$name/systemd-cryptsetup@$name.service.d"
                printf "%s\n" "[Unit]" "Wants=pcscd.socket" "After=pcscd.socket" > "/tmp/$name/systemd-cryptsetup@$name.service.d/pcscd.conf"
                grep "^$name" /tmp/crypttab > /tmp/line
                SYSTEMD_CRYPTTAB=/tmp/line /usr/lib/systemd/system-generators/systemd-cryptsetup-generator "/tmp/$name" "/tmp/$name" "/tmp/$name"
                SYSTEMD_UNIT_PATH="/tmp/$name:" systemd-analyze verify --man=no "systemd-cryptsetup@$name.service" multi-user.target \
                    > "/tmp/$name.log" 2>&1 || true
            done'
        printed 'ordering cycle' "$roots/$system/tmp/early.log"
        not_printed 'ordering cycle' "$roots/$system/tmp/late.log"
        grep -q 'After=pcscd.socket' "$roots/$system/tmp/late/systemd-cryptsetup@late.service.d/pcscd.conf"
        [ -e "$roots/$system/tmp/late/systemd-cryptsetup@late.service" ] || fail "no unit was made"
    done
}

@test "a volume with _netdev that waits for its token by \"kanal info\" is ready to ask for the PIN when the system starts" {
    local system
    for system in $systems; do
        format $system volume
        enrols 0 $system volume "$(key 01)"
        boot $system
        for _ in {1..100}; do
            if has_ended; then break; fi
            sleep 0.2
        done
        printed "PIN querying disabled via 'headless' option" journal.log
        shut_down
    done
}
