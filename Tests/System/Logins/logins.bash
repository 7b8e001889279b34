# SPDX-License-Identifier: Apache-2.0
# Logins by PAM, for files that have loaded common: users, services of PAM and trusted authorities in mounts of the test's own; the
# tokens of two users; pamtester in place of login, sudo and a screen lock, by the names of their programs.

own=/run/logins
services=(login sudo xscreensaver)
officer=87654321
wrong=11111111
# The PIN of the other user's token.
other=24682468

# The test needs this package.
needs() {
    local reason
    reason=$(absence "$1")
    [ -z "$reason" ] || skip "$reason"
}

# Puts copies of the directories that logins read and write over the machine's. Otherwise all is skipped.
own_machine() {
    if [ "$(id -u)" != 0 ] || [ "${KANAL_APART:-}" != yes ]; then
        skip_all "the machine's users and PAM stay as they are: Tests/System/apart bats …"
        return 1
    fi
    chmod 755 ${BATS_RUN_TMPDIR:+"$BATS_RUN_TMPDIR" "$BATS_RUN_TMPDIR/file"} "$work"
    unset OPENSSL_CONF
    local directory
    for directory in /etc /var/lib/sss /var/log/sssd; do
        [ -d $directory ] || continue
        mkdir -p "$own$directory"
        cp -a "$directory/." "$own$directory"
        mount --bind "$own$directory" "$directory"
    done
    # libp11 0.4.12, of pam_p11, does not get past a GOST key: such keys are hidden from programs of these names.
    mkdir -p "$own/bin"
    local service
    for service in "${services[@]}"; do install "$(command -v pamtester)" "$(program_of "$service")"; done
    add_user ann 60001
    add_user boris 60002
    add_user vera 60003
}

leave_machine() {
    local directory
    for directory in /var/log/sssd /var/lib/sss /etc; do
        if [ -d "$own$directory" ]; then umount --lazy $directory; fi
    done
    rm -rf $own
}

# The program of a service of PAM.
program_of() { sed "s|^|$own/bin/|; s|xscreensaver|&-auth|" <<< "$1"; }

# A user without a password: name, number.
add_user() {
    echo "$1:x:$2:$2::$own/home/$1:/bin/sh" >> /etc/passwd
    echo "$1:x:$2:" >> /etc/group
    echo "$1:*:19000::::::" >> /etc/shadow
    install -d -o "$2" -g "$2" -m 700 "$own/home/$1"
}

# Writes the services of PAM, with a line for the authentication.
write_services() {
    local service
    for service in "${services[@]}"; do
        printf '%s\n' "auth required $*" 'account required pam_unix.so' 'session required pam_permit.so' > "/etc/pam.d/$service"
    done
}

# Has pam_pkcs11 use this library, trust Company, and take the common name of a certificate for its user.
write_pam_pkcs11() {
    mkdir -p /etc/pam_pkcs11/{cacerts,crls}
    cp Company.pem /etc/pam_pkcs11/cacerts
    expect 0 openssl rehash /etc/pam_pkcs11/cacerts
    cat > /etc/pam_pkcs11/pam_pkcs11.conf << END
pam_pkcs11 {
    use_pkcs11_module = kanal;
    pkcs11_module kanal {
        module = $module;
        slot_num = 0;
        support_threads = true;
        ca_dir = /etc/pam_pkcs11/cacerts;
        crl_dir = /etc/pam_pkcs11/crls;
        cert_policy = ca,signature;
    }
    use_mappers = cn;
    mapper cn {
        module = internal;
        ignorecase = false;
        mapfile = "none";
    }
}
END
}

# ---- Certificates and tokens ----

make_authority() {
    expect 0 openssl req -x509 -newkey rsa:2048 -noenc -keyout "$1.key" -out "$1.pem" -subj "/CN=$1" -days 30 \
        -addext basicConstraints=critical,CA:true -addext keyUsage=keyCertSign,cRLSign
}

# issue FILE KEY USER AUTHORITY [expired]: a certificate of a public key. OpenSSL reads keys of GOST by its engine, or where there
# is none by the provider of the packages.
issue() {
    local dates=(-days 20) settings=$work/openssl.cnf provider=()
    [ -z "$(absence libengine-gost-openssl)" ] || settings='' provider=(-provider kanal -provider default)
    if [ -n "${5:-}" ]; then
        dates=(-days -1)
        # OpenSSL 3.5 refuses that, and has these.
        ! grep -q -e -not_after <<< "$(openssl x509 -help 2>&1)" || dates=(-not_before 20200101000000Z -not_after 20200201000000Z)
    fi
    printf '%s\n' keyUsage=critical,digitalSignature extendedKeyUsage=clientAuth > extensions
    OPENSSL_CONF=$settings expect 0 openssl x509 "${provider[@]}" -new -force_pubkey "$2" -subj "/CN=$3" -CA "$4.pem" -CAkey "$4.key" \
        -extfile extensions -out "$1" "${dates[@]}"
}

# Makes a key and its certificate on the token: kind, id, user. The files are named after both users.
add_key() {
    by_kanal key generate --kind "$1" --id "$2"
    by_kanal key export "$2" --output "$who-$2.key"
    issue "$who-$2.pem" "$who-$2.key" "$3" Company
    by_kanal cert import "$who-$2.pem"
}

# The token of ann has keys of all kinds, one of them for vera; boris has one of his own.
make_tokens() {
    make_authority Company
    make_authority Foreign
    put_in ann
    add_key gost256 01 ann
    add_key rsa2048 02 ann
    add_key p256 03 vera
    put_in boris
    add_key gost256 01 boris
    add_key p256 02 boris
    NEW=$other by_kanal pin change --new-pin-source env:NEW
}

# Has the token of this user in the reader.
who=
put_in() {
    [ "$who" != "$1" ] || return 0
    detach
    insert usb "$1" --label "Token of $1"
    who=$1
    keep who
}

take_out() {
    detach
    who=
    keep who
}

# Puts another certificate in place of the one with this id: id, file.
replace_certificate() {
    by_kanal cert delete "$1" --yes
    by_kanal cert import "$2" --id "$1"
}

# ---- Logins ----

# pass STATUS SERVICE USER [PIN]: a login by the service. A screen lock runs as its user.
pass() {
    local as=()
    [ "$2" != xscreensaver ] || as=(setpriv --reuid="$3" --regid="$3" --clear-groups env HOME="$own/home/$3")
    echo "${4-$pin}" > answer
    expect "$1" "${as[@]}" timeout 30 "$(program_of "$2")" "$2" "$3" authenticate acct_mgmt open_session close_session < answer
    if [ "$1" = 0 ]; then printed 'successfully authenticated'; else not_printed 'successfully'; fi
}

# Begins a login, as far as the question for the PIN: service, user, question.
begin() {
    rm -f answers
    mkfifo answers
    exec 5<> answers
    launch timeout 60 stdbuf -oL "$(program_of "$1")" "$1" "$2" authenticate > output 2>&1 < answers 5>&-
    begun=$launched
    wait_until grep -q "$3" output || fail "the PIN is not asked for: $(cat output)"
}

# Answers the question, and sees that the login fails.
refused() {
    echo $pin >&5
    exec 5>&-
    refute wait "$begun"
    not_printed 'successfully'
}

# A login with another certificate in place of the user's fails: "issue" gets the authority, and more. Its output is in "result".
refuses_certificate() {
    issue other.pem ann-02.key ann "$@"
    replace_certificate 02 other.pem
    pass 1 login ann
    cp output result
    replace_certificate 02 ann-02.pem
}

# Logins fail, with a message, until the PIN is unblocked.
needs_unblocking() {
    for _ in {1..10}; do pass 1 login ann $wrong; done
    has_tries 0
    pass 1 login ann
    printed "$1"
    PIN=$officer expect 0 "$kanal" pin unblock --pin-source env:PIN
    pass 0 login ann
}
