#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Logins by SSSD's pam_sss and p11_child, for users of a local domain, with emulated tokens that hold keys and certificates of
# GOST, RSA and P-256.
# bats file_tags=pcscd
load ../common
load logins

setup_file() {
    prepare
    local reason
    reason=$(absence '\(sssd-common\|libpam-sss\)')
    [ -z "$reason" ] || { skip_all "$reason"; return 0; }
    own_machine || return 0
    hide_p11_kit_modules
    modules=$(pkg-config p11-kit-1 --variable=p11_module_configs)
    echo "module: $module" > "$modules/kanal.module"
    # p11_child 2.8.2 would take the first module that has a token.
    echo "module: opensc-pkcs11.so" > "$modules/a-opensc.module"
    start_pcscd
    make_tokens
    mkdir -p /etc/sssd/pki
    cp Company.pem /etc/sssd/pki/sssd_auth_ca_db.pem
    # Later versions have no provider "files".
    local provider='files'
    ls "$(pkg-config --variable=libdir p11-kit-1)"/sssd/libsss_files.so > /dev/null 2>&1 || provider='proxy
proxy_lib_name = files
auth_provider = none
local_auth_policy = only'
    cat > /etc/sssd/sssd.conf << END
[sssd]
services = nss, pam
domains = local

[pam]
pam_cert_auth = True
pam_p11_allowed_services = +xscreensaver
p11_uri = pkcs11:library-manufacturer=Kanal
p11_child_timeout = 30
debug_level = 6

[domain/local]
id_provider = $provider

[certmap/local/ann]
matchrule = <SUBJECT>^CN=ann$

[certmap/local/vera]
matchrule = <SUBJECT>^CN=vera$

[certmap/local/boris]
matchrule = <SUBJECT>^CN=boris$
END
    chmod 600 /etc/sssd/sssd.conf
    write_services pam_sss.so try_cert_auth
    launch sssd --interactive --logger=files > sssd.log 2>&1
    wait_until test -S /var/lib/sss/pipes/pam || fail "SSSD does not start: $(cat sssd.log)"
}

teardown_file() {
    clean_up
    leave_machine
}

# As that of all files; then the log of p11_child has the lines of one check.
setup() {
    cd "$work"
    # shellcheck source=/dev/null
    [ ! -e .state ] || . ./.state
    [ -z "${no_tests:-}" ] || skip "$no_tests"
    : > /var/log/sssd/p11_child.log
}
said() { printed "$1" /var/log/sssd/p11_child.log; }

@test "another user's token lets no user in, and is not asked for its PIN" {
    put_in boris
    pass 1 login ann
    not_printed 'PIN for\|Password'
    has_tries 10
    pass 0 login boris $other
}

@test "login, sudo and a screen lock let each user in by the own certificate, RSA and P-256, beside GOST ones and OpenSC's module" {
    put_in ann
    for service in "${services[@]}"; do
        pass 0 $service ann
        pass 0 $service vera
    done
}

@test "a wrong PIN costs one try, an empty one costs none, the right one restores them" {
    put_in ann
    pass 1 login ann $wrong
    printed 'Authentication failure'
    has_tries 9
    pass 1 sudo ann ''
    has_tries 9
    pass 0 login ann
    has_tries 10
}

@test "a blocked PIN is named and lets no user in until it is unblocked" {
    put_in ann
    needs_unblocking 'PIN locked'
}

@test "an expired certificate is named in the log and lets no user in" {
    put_in ann
    refuses_certificate Company expired
    not_printed 'PIN for\|Password' result
    said 'certificate has expired'
    pass 0 login ann
}

@test "a certificate of an authority that is not trusted is named in the log and lets no user in" {
    put_in ann
    refuses_certificate Foreign
    not_printed 'PIN for\|Password' result
    said 'unable to get local issuer certificate'
    pass 0 login ann
}

@test "another user's token in its place lets no user in" {
    put_in ann
    begin login ann 'PIN for Token of ann'
    put_in boris
    refused
    # p11_child 2.8.2 shows the PIN to that token.
    pass 0 login boris $other
}

@test "a token that leaves while the PIN is asked for lets no user in" {
    put_in ann
    begin login ann 'PIN for Token of ann'
    take_out
    refused
    put_in ann
    has_tries 10
    pass 0 login ann
}

@test "without a token neither a PIN nor a password is asked for" {
    take_out
    pass 1 login ann
    not_printed 'PIN for\|Password'
}

@test "a login waits for the token where the service demands one" {
    take_out
    write_services pam_sss.so require_cert_auth
    begin login ann 'insert'
    put_in ann
    echo $pin >&5
    exec 5>&-
    wait "$begun" || fail "no login: $(cat output)"
    write_services pam_sss.so try_cert_auth
}
