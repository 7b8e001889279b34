#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Logins by pam_p11 and pam_pkcs11 with emulated tokens that hold keys and certificates of GOST, RSA and P-256.
# bats file_tags=pcscd
load ../common
load logins

setup_file() {
    prepare
    own_machine || return 0
    start_pcscd
    make_tokens
    write_pam_pkcs11
}

teardown_file() {
    clean_up
    leave_machine
}

by_p11() {
    needs libpam-p11
    write_services pam_p11.so "$module"
    allow ann ann-02.pem
    rm -rf $own/home/boris/.eid
}

by_pkcs11() {
    needs libpam-pkcs11
    write_services pam_pkcs11.so
}

# Whether pam_p11 is that of Debian 13, or later.
is_newer_p11() { dpkg --compare-versions "$(dpkg-query --show --showformat='${Version}' libpam-p11)" ge 0.6; }

# A user may log in by pam_p11 with the keys of these certificates.
allow() {
    install -d -o "$1" -g "$1" -m 700 "$own/home/$1/.eid"
    cat "${@:2}" > "$own/home/$1/.eid/authorized_certificates"
}

# ---- pam_p11 ----

@test "pam_p11: a P-256 key serves beside GOST keys" {
    by_p11
    put_in boris
    allow boris boris-02.pem
    for service in "${services[@]}"; do pass 0 $service boris $other; done
}

@test "pam_p11: a token without a key of the user is not asked for a PIN" {
    by_p11
    put_in boris
    pass 1 login ann
    printed 'authorized keys on'
    put_in ann
    pass 1 login boris
    printed 'authorized keys on'
    allow boris boris-02.pem
    pass 1 login boris
    printed 'authorized keys on'
    has_tries 10
}

@test "pam_p11: login, sudo and a screen lock let a user in by an RSA key beside GOST keys and certificates" {
    by_p11
    put_in ann
    for service in "${services[@]}"; do pass 0 $service ann; done
}

@test "pam_p11: a wrong PIN is named and costs one try, an empty one costs none" {
    by_p11
    put_in ann
    pass 1 login ann $wrong
    printed 'PIN not verified'
    has_tries 9
    pass 1 sudo ann ''
    has_tries 9
    pass 0 login ann
    has_tries 10
}

@test "pam_p11: the last try is announced before it is used" {
    by_p11
    put_in ann
    for _ in {1..9}; do pass 1 login ann $wrong; done
    has_tries 1
    pass 0 login ann
    printed '(last try)'
    has_tries 10
}

@test "pam_p11: the user's list of keys counts, in OpenSSH's form, too, and neither dates nor issuers" {
    by_p11
    put_in ann
    issue late.pem ann-02.key ann Foreign expired
    replace_certificate 02 late.pem
    allow ann late.pem
    pass 0 login ann
    replace_certificate 02 ann-02.pem
    rm -r $own/home/ann/.eid
    pass 1 login ann
    printed 'authorized keys on'
    mkdir $own/home/ann/.ssh
    expect 0 ssh-keygen -i -m PKCS8 -f ann-02.key
    mv output $own/home/ann/.ssh/authorized_keys
    pass 0 login ann
    rm -r $own/home/ann/.ssh
}

@test "pam_p11: a token in place of the first one is not shown its PIN, and lets no user in" {
    by_p11
    ! is_newer_p11 || skip "pam_p11 0.6.0 with libp11 0.4.13 shows it the PIN"
    put_in ann
    begin login ann 'Login with Token of ann'
    put_in boris
    refused
    printed 'PIN not verified'
    has_tries 10
    put_in ann
    has_tries 10
    pass 0 login ann
}

@test "pam_p11: a token that leaves while the PIN is asked for lets no user in" {
    by_p11
    ! is_newer_p11 || skip "pam_p11 0.6.0 with libp11 0.4.13 does not come to an end"
    put_in ann
    begin login ann 'Login with Token of ann'
    take_out
    refused
    printed 'PIN not verified'
}

@test "pam_p11: without a token no PIN is asked for" {
    by_p11
    take_out
    pass 1 login ann
    printed 'No token found'
    not_printed 'Login with'
}

# ---- pam_pkcs11 ----

@test "pam_pkcs11: without a token no PIN is asked for" {
    by_pkcs11
    take_out
    pass 1 login ann
    not_printed 'PIN:'
}

@test "pam_pkcs11: another user's token lets no user in" {
    by_pkcs11
    put_in boris
    pass 1 login ann $other
    printed 'No matching certificate found'
    pass 0 login boris $other
}

@test "pam_pkcs11: login, sudo and a screen lock let each user in by the own certificate, RSA and P-256, beside GOST ones" {
    by_pkcs11
    put_in ann
    for service in "${services[@]}"; do
        pass 0 $service ann
        pass 0 $service vera
    done
}

@test "pam_pkcs11: a wrong PIN is named and costs one try, an empty one costs none" {
    by_pkcs11
    put_in ann
    pass 1 login ann $wrong
    printed 'Wrong smart \?card PIN'
    has_tries 9
    pass 1 sudo ann ''
    printed 'Empty smart \?card PIN not allowed'
    has_tries 9
    pass 0 login ann
    has_tries 10
}

@test "pam_pkcs11: a blocked PIN lets no user in until it is unblocked" {
    by_pkcs11
    put_in ann
    needs_unblocking 'Wrong smart \?card PIN'
}

@test "pam_pkcs11: an expired certificate is named and lets no user in" {
    by_pkcs11
    put_in ann
    refuses_certificate Company expired
    printed 'Certificate has expired' result
    pass 0 login ann
}

@test "pam_pkcs11: a certificate of an authority that is not trusted is named and lets no user in" {
    by_pkcs11
    put_in ann
    refuses_certificate Foreign
    printed 'Certificate signature invalid' result
    pass 0 login ann
}

@test "pam_pkcs11: a token in place of the first one is not shown its PIN, and lets no user in" {
    by_pkcs11
    put_in ann
    begin login ann 'PIN: '
    put_in boris
    refused
    printed 'Wrong smart \?card PIN'
    has_tries 10
    put_in ann
    has_tries 10
    pass 0 login ann
}

@test "pam_pkcs11: a token that leaves while the PIN is asked for lets no user in" {
    by_pkcs11
    put_in ann
    begin login ann 'PIN: '
    take_out
    refused
    printed 'Wrong smart \?card PIN'
}
