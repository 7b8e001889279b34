#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The recipes of the documentation, carried out: programs of Debian that serve or connect with an RSA key on an emulated
# token, as daemons do. They drop root's rights, have their environment cleared, fork, and renegotiate.
# bats file_tags=pcscd
load ../common
load ../servers

setup_file() {
    prepare
    may_change_user || return 0
    unset OPENSSL_CONF
    # As daemons on a machine: root starts them, in a HOME that no other user may read.
    chmod 700 "$HOME"
    example openssl-pkcs11.cnf
    hide_p11_kit_modules
    start_pcscd
}

teardown() {
    stop_started
    rm -f "${p11_kit_module:-}"
    unconfigure
}

tool() { expect 0 pkcs11-tool --module "$module" --slot "$slot" --login --pin $pin "$@"; }
with_key() { OPENSSL_CONF=$work/openssl-pkcs11.cnf expect "$1" openssl "$2" -engine pkcs11 -keyform engine "${@:3}"; }

# A token with a key, and its certificates.
bring() {
    attach "$identity" "$identity"
    if [ "$identity" = bt ]; then
        expect 0 ./activate "$serial" "$password"
        # A service activates the token for itself, in a directory of its own.
        install -d -o $service -m 700 service
        XDG_DATA_HOME=$work/service expect 0 setpriv --reuid=$service --regid=$service --clear-groups \
            ./activate "$serial" "$password"
    fi
    expect 0 p11tool --provider "$module" --list-token-urls
    key="$(grep "serial=$serial" output);id=%01;type=private"
    keep key
    tool --keypairgen --key-type rsa:2048 --id 01 --label key
    with_key 0 req -new -x509 -key "$key" -subj /CN=Kanal -days 30 -out certificate.pem
    certify
}

# Makes an authority, and a certificate of its for the token's key, as "client.pem"; and one for a server with a key in
# a file.
certify() {
    local issue=(openssl x509 -req -CA authority.pem -CAkey authority.key -days 30)
    expect 0 openssl req -x509 -newkey rsa:2048 -noenc -keyout authority.key -out authority.pem -subj /CN=Authority \
        -days 30 -addext basicConstraints=critical,CA:true
    with_key 0 req -new -key "$key" -subj /CN=Client -out client.csr
    expect 0 "${issue[@]}" -in client.csr -set_serial 2 -out client.pem
    expect 0 openssl req -newkey rsa:2048 -noenc -keyout server.key -out server.csr -subj /CN=Server
    expect 0 "${issue[@]}" -in server.csr -set_serial 3 -out server.pem
    expect 0 openssl x509 -in client.pem -outform der -out client.der
    tool --write-object client.der --type cert --id 01 --label client
}

# ---- nginx: workers of another user, without the variables that the master had ----

nginx_recipe() {
    nginx_server 35972 "$work/certificate.pem" "engine:pkcs11:$key" \
        | nginx_configuration "env XDG_DATA_HOME=$work/service" "ssl_engine pkcs11"
    OPENSSL_CONF=$work/openssl-pkcs11.cnf start_nginx
    fetch https://Kanal:35972/ --cacert certificate.pem
    printed served
}

# ---- Apache: processes of another user, with the HOME of root ----

apache_recipe() {
    apache_configuration 35973 "$work/certificate.pem" "$key" 'SSLCryptoDevice pkcs11' < /dev/null
    # The directory is the service's, and counts for nothing as long as root loads the key.
    XDG_DATA_HOME=$work/service OPENSSL_CONF=$work/openssl-pkcs11.cnf start_apache
    fetch https://Kanal:35973/ --cacert certificate.pem
    printed served
}

# ---- stunnel ----

stunnel_recipe() {
    cat > stunnel.conf << END
foreground = yes
pid =
engine = pkcs11
engineCtrl = MODULE_PATH:$module
engineCtrl = PIN:$pin
[web]
accept = 127.0.0.1:35976
connect = 127.0.0.1:35977
engineId = pkcs11
cert = $work/certificate.pem
key = $key
END
    serve_pages 35977
    start stunnel.log stunnel stunnel.conf
    fetch https://Kanal:35976/ --cacert certificate.pem
}

# ---- OpenVPN: a client that drops root's rights, and signs again when the keys are renegotiated ----

openvpn_recipe() {
    rm -rf openvpn
    mkdir openvpn
    local user=nobody group=nogroup
    # A channel opens for a user who has activated the token.
    [ "$identity" = usb ] || user=$service group=$service
    expect 0 openvpn --show-pkcs11-ids "$module"
    local id
    id=$(sed -n 's/^ *Serialized id: *//p' output | tail -n 1)
    openvpn_server server.pem server.key
    XDG_DATA_HOME=$work/service start openvpn-client.log "${openvpn_client[@]}" \
        --pkcs11-providers "$module" --pkcs11-id "$id" --user $user --group $group \
        --management "$work/openvpn/management" unix --management-query-passwords --management-hold
    wait_until test -S openvpn/management
    # The client's manager enters the PIN, once.
    start openvpn/management.log python3 -c '
import socket, sys
manager = socket.socket(socket.AF_UNIX)
manager.connect(sys.argv[1])
manager.sendall(b"hold release\n")
asked = 0
for line in manager.makefile():
    if line.startswith(">PASSWORD:Need"):
        asked += 1
        print("asked", asked, flush=True)
        manager.sendall("password \"{}\" {}\n".format(line.split("\x27")[1], sys.argv[2]).encode())
' "$work/openvpn/management" $pin
    openvpn_signs_again Client
    grep -q "UID set to $user" openvpn-client.log || fail "OpenVPN kept its rights"
    [ "$(cat openvpn/management.log)" = "asked 1" ] || fail "OpenVPN: $(cat openvpn/management.log)"
}

# ---- wpa_supplicant's EAP-TLS, against hostapd's RADIUS server: the library must be below /usr/lib ----

eap_recipe() {
    local libraries
    libraries=$(pkg-config libcrypto --variable=libdir)
    eap_server "$work/server.pem" "$work/server.key"
    eap_client "client_cert=\"$work/client.pem\"" engine=1 'engine_id="pkcs11"' "key_id=\"$key\"" "pin=\"$pin\""
    sed -i "1i pkcs11_engine_path=$libraries/engines-3/pkcs11.so\npkcs11_module_path=$libraries/pkcs11/libkanal-pkcs11.so" \
        supplicant.conf
    # The library appears below /usr/lib for this command alone.
    expect 0 unshare --mount sh -c 'mount --bind "$1" "$2" && shift 2 && exec "$@"' sh "${module%/*}" \
        $libraries/pkcs11 eapol_test -c supplicant.conf -a 127.0.0.1 -p 35978 -s secret
    printed '^SUCCESS'
}

# ---- p11-kit, for root ----

p11_kit_recipe() {
    local modules
    modules=$(pkg-config p11-kit-1 --variable=p11_module_configs)
    [ ! -e "$modules/kanal.module" ] || skip "another Kanal is installed for p11-kit"
    p11_kit_module=$modules/kanal.module
    printf 'module: %s\n' "$module" > "$p11_kit_module"
    expect 0 p11-kit list-modules
    printed "$serial"
}

# ---- A GOST key beside the RSA key: the engine stops at the first key of a type that it does not know ----

gost_recipe() {
    rm -rf gost
    mkdir gost
    tool --keypairgen --key-type GOSTR3410-2012-256:A --id 02 --label gost
    sign() { with_key "$1" dgst -sign "$key" -sha256 -out gost/signature certificate.pem; }
    sign 1
    configure "[program openssl]" "hide_keys = gost"
    sign 0
    expect 0 openssl x509 -in certificate.pem -pubkey -noout -out gost/public.pem
    expect 0 openssl dgst -sha256 -verify gost/public.pem -signature gost/signature certificate.pem
    for type in privkey pubkey; do tool --delete-object --type $type --id 02; done
}

# ---- A server that goes on when its token was away for a while ----

windows_recipe() {
    configure "reconnect_window_wired = 60" "$([ "$identity" = usb ] || echo 'wireless_readers = Virtual PCD*')"
    stunnel_recipe
    detach
    attach "$identity" "$identity"
    fetch https://Kanal:35976/ --cacert certificate.pem
    unconfigure
}

@test "usb: nginx: workers of the user www-data serve TLS with the token's key" { on usb nginx_recipe; }
@test "usb: Apache: processes of the user www-data serve TLS with the token's key" { on usb apache_recipe; }
@test "usb: stunnel serves TLS with the token's key" { on usb stunnel_recipe; }
@test "usb: OpenVPN signs with the token's key again, without root's rights, with the PIN given once" { on usb openvpn_recipe; }
@test "usb: wpa_supplicant proves itself by EAP-TLS with the token's key" { on usb eap_recipe; }
@test "usb: p11-kit finds the token for root" { on usb p11_kit_recipe; }
@test "usb: OpenSSL's engine signs with an RSA key beside a GOST key that is hidden from it" { on usb gost_recipe; }
@test "usb: a server signs with the key of a token that was pulled out and put back" { on usb windows_recipe; }

@test "bt: nginx: workers of the user www-data serve TLS with the token's key" { on bt nginx_recipe; }
@test "bt: Apache: processes of the user www-data serve TLS with the token's key" { on bt apache_recipe; }
@test "bt: stunnel serves TLS with the token's key" { on bt stunnel_recipe; }
@test "bt: OpenVPN signs with the token's key again, without root's rights, with the PIN given once" { on bt openvpn_recipe; }
@test "bt: wpa_supplicant proves itself by EAP-TLS with the token's key" { on bt eap_recipe; }
@test "bt: p11-kit finds the token for root" { on bt p11_kit_recipe; }
@test "bt: OpenSSL's engine signs with an RSA key beside a GOST key that is hidden from it" { on bt gost_recipe; }
@test "bt: a server signs with the key of a token that was pulled out and put back" { on bt windows_recipe; }
