#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The recipes of the documentation, carried out: programs of Debian that serve or connect with an RSA key on an emulated
# token, as daemons do. They drop root's rights, have their environment cleared, fork, and renegotiate. Without root,
# those that change their user are left out. Give the recipes to carry out, or none for all.
set -euo pipefail
cd "$(dirname "$0")/../.."
. Tests/Scripts/common.sh
. Tests/Scripts/servers.sh

tool() { expect 0 pkcs11-tool --module "$module" --slot "$slot" --login --pin $pin "$@"; }

# Starts a server or a client in the background: the file for its output, command. It gets a process group of its own,
# because Apache ends its whole group.
start() {
    setsid "${@:2}" > "$1" 2>&1 < /dev/null &
    others+=($!)
}

# Ends the programs that "start" has started.
stop_others() {
    for process in "${others[@]}"; do
        stop "$process"
        wait "$process" 2> /dev/null || true
    done
    others=()
}

# Fetches a page six times, each in a handshake of its own that the token's key signs: port, file of the server's log.
fetch() {
    local get=(curl --silent --show-error --cacert certificate.pem --resolve "Kanal:$1:127.0.0.1")
    wait_until "${get[@]}" "https://Kanal:$1/" || fail "no page from port $1: $(tail -n 20 "$2")"
    for _ in {1..6}; do expect 0 "${get[@]}" "https://Kanal:$1/"; done
}

# Makes an authority, and a certificate of its for the token's key, as "client.pem"; and one for a server with a key in
# a file.
certify() {
    [ ! -e authority.pem ] || return 0
    local issue=(openssl x509 -req -CA authority.pem -CAkey authority.key -days 30)
    expect 0 openssl req -x509 -newkey rsa:2048 -noenc -keyout authority.key -out authority.pem -subj /CN=Authority \
        -days 30 -addext basicConstraints=critical,CA:true
    OPENSSL_CONF=$work/openssl-pkcs11.cnf expect 0 openssl req -new -engine pkcs11 -keyform engine -key "$key" \
        -subj /CN=Client -out client.csr
    expect 0 "${issue[@]}" -in client.csr -set_serial 2 -out client.pem
    expect 0 openssl req -newkey rsa:2048 -noenc -keyout server.key -out server.csr -subj /CN=Server
    expect 0 "${issue[@]}" -in server.csr -set_serial 3 -out server.pem
    expect 0 openssl x509 -in client.pem -outform der -out client.der
    tool --write-object client.der --type cert --id 01 --label client
}

# ---- nginx: workers of another user, without the variables that the master had ----

nginx_recipe() {
    mkdir nginx
    cat > nginx/nginx.conf << END
user $service;
worker_processes 2;
pid $work/nginx/pid;
error_log $work/nginx/error.log;
env XDG_DATA_HOME=$work/service;
ssl_engine pkcs11;
events { }
http {
    access_log off;
    client_body_temp_path $work/nginx/body;
    proxy_temp_path $work/nginx/proxy;
    fastcgi_temp_path $work/nginx/fastcgi;
    uwsgi_temp_path $work/nginx/uwsgi;
    scgi_temp_path $work/nginx/scgi;
    server {
        listen 127.0.0.1:35972 ssl;
        ssl_certificate $work/certificate.pem;
        ssl_certificate_key "engine:pkcs11:$key";
        location / { return 200 "served"; }
    }
}
END
    OPENSSL_CONF=$work/openssl-pkcs11.cnf start nginx/output nginx -c "$work/nginx/nginx.conf" -g 'daemon off;'
    fetch 35972 nginx/error.log
    printed served
    passed "$1: nginx: workers of the user $service serve TLS with the token's key"
}

# ---- Apache: processes of another user, with the HOME of root ----

apache_recipe() {
    mkdir apache
    echo served > apache/index.html
    local modules=/usr/lib/apache2/modules
    cat > apache/apache.conf << END
ServerRoot $work/apache
ServerName localhost
Listen 127.0.0.1:35973
PidFile $work/apache/pid
ErrorLog $work/apache/error.log
Mutex file:$work/apache default
DefaultRuntimeDir $work/apache
User $service
Group $service
LoadModule mpm_prefork_module $modules/mod_mpm_prefork.so
LoadModule authz_core_module $modules/mod_authz_core.so
LoadModule dir_module $modules/mod_dir.so
LoadModule ssl_module $modules/mod_ssl.so
StartServers 2
DocumentRoot $work/apache
SSLCryptoDevice pkcs11
SSLSessionCache none
<VirtualHost 127.0.0.1:35973>
    SSLEngine on
    SSLCertificateFile $work/certificate.pem
    SSLCertificateKeyFile "$key"
</VirtualHost>
END
    # The directory is the service's, and counts for nothing as long as root loads the key.
    XDG_DATA_HOME=$work/service OPENSSL_CONF=$work/openssl-pkcs11.cnf \
        start apache/output apache2 -f "$work/apache/apache.conf" -DFOREGROUND
    fetch 35973 apache/error.log
    printed served
    passed "$1: Apache: processes of the user $service serve TLS with the token's key"
}

# ---- stunnel ----

# Serves pages by stunnel: directory for its files.
serve() {
    mkdir "$1/pages"
    cat > "$1/stunnel.conf" << END
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
    start "$1/pages.log" python3 -m http.server --bind 127.0.0.1 --directory "$1/pages" 35977
    start "$1/log" stunnel "$1/stunnel.conf"
    fetch 35976 "$1/log"
}

stunnel_recipe() {
    mkdir stunnel
    serve stunnel
    passed "$1: stunnel serves TLS with the token's key"
}

# ---- OpenVPN: a client that gives root's rights away, and signs again when the keys are renegotiated ----

openvpn_recipe() {
    mkdir openvpn
    certify
    local user=nobody group=nogroup
    # A channel opens for a user who has activated the token.
    [ "$1" = usb ] || user=$service group=$service
    local options=(--dev null --proto udp --ca authority.pem --reneg-sec 3 --verb 3)
    expect 0 openvpn --show-pkcs11-ids "$module"
    local id
    id=$(sed -n 's/^ *Serialized id: *//p' output | tail -n 1)
    start openvpn/server.log openvpn "${options[@]}" --local 127.0.0.1 --port 35974 --tls-server --dh none \
        --cert server.pem --key server.key
    XDG_DATA_HOME=$work/service start openvpn/client.log openvpn "${options[@]}" --remote 127.0.0.1 35974 --nobind --tls-client \
        --pkcs11-providers "$module" --pkcs11-id "$id" --user $user --group $group --persist-key --persist-tun \
        --management "$work/openvpn/management" unix --management-query-passwords --management-hold
    wait_until test -S openvpn/management
    # The client's manager gives it the PIN, once.
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
    wait_until sh -c '[ "$(grep -c "VERIFY OK: depth=0, CN=Client" openvpn/server.log)" -ge 3 ]' \
        || fail "OpenVPN: $(tail -n 20 openvpn/client.log)"
    grep -q "UID set to $user" openvpn/client.log || fail "OpenVPN kept its rights"
    [ "$(cat openvpn/management.log)" = "asked 1" ] || fail "OpenVPN: $(cat openvpn/management.log)"
    passed "$1: OpenVPN signs with the token's key again, as $user, with the PIN given once"
}

# ---- wpa_supplicant's EAP-TLS, against hostapd's RADIUS server: the library must be below /usr/lib ----

eap_recipe() {
    certify
    local libraries
    libraries=$(pkg-config libcrypto --variable=libdir)
    eap_server_configuration "$work/server.pem" "$work/server.key"
    cat > eap/supplicant.conf << END
pkcs11_engine_path=$libraries/engines-3/pkcs11.so
pkcs11_module_path=$libraries/pkcs11/libkanal-pkcs11.so
network={
    key_mgmt=WPA-EAP
    eap=TLS
    identity="client"
    ca_cert="$work/authority.pem"
    client_cert="$work/client.pem"
    engine=1
    engine_id="pkcs11"
    key_id="$key"
    pin="$pin"
}
END
    start eap/hostapd.log hostapd eap/hostapd.conf
    wait_until grep -q AP-ENABLED eap/hostapd.log || fail "hostapd: $(cat eap/hostapd.log)"
    # The library appears below /usr/lib for this command alone.
    expect 0 unshare --mount sh -c 'mount --bind "$1" "$2" && shift 2 && exec "$@"' sh "${module%/*}" \
        $libraries/pkcs11 eapol_test -c eap/supplicant.conf -a 127.0.0.1 -p 35978 -s secret
    printed '^SUCCESS'
    passed "$1: wpa_supplicant proves itself by EAP-TLS with the token's key"
}

# ---- p11-kit, for root ----

p11_kit_recipe() {
    local modules
    modules=$(pkg-config p11-kit-1 --variable=p11_module_configs)
    if [ -e "$modules/kanal.module" ]; then
        skipped "p11-kit: another Kanal is installed for it"
        return
    fi
    leftovers+=("$modules/kanal.module")
    printf 'module: %s\n' "$module" > "$modules/kanal.module"
    expect 0 p11-kit list-modules
    printed "$serial"
    rm "$modules/kanal.module"
    passed "$1: p11-kit finds the token for root"
}

# ---- A GOST key beside the RSA key: the engine stops at the first key of a type that it does not know ----

gost_recipe() {
    mkdir gost
    tool --keypairgen --key-type GOSTR3410-2012-256:A --id 02 --label gost
    sign() {
        OPENSSL_CONF=$work/openssl-pkcs11.cnf expect "$1" openssl dgst -engine pkcs11 -keyform engine -sign "$key" \
            -sha256 -out gost/signature certificate.pem
    }
    sign 1
    configure "[program openssl]" "hide_gost_keys = on"
    sign 0
    unconfigure
    expect 0 openssl x509 -in certificate.pem -pubkey -noout -out gost/public.pem
    expect 0 openssl dgst -sha256 -verify gost/public.pem -signature gost/signature certificate.pem
    for type in privkey pubkey; do tool --delete-object --type $type --id 02; done
    passed "$1: OpenSSL's engine signs with an RSA key beside a GOST key that is hidden from it"
}

# ---- A server that goes on when its token was away for a while ----

windows_recipe() {
    mkdir windows
    configure "reconnect_window_wired = 60" "$([ "$1" = usb ] || echo 'wireless_readers = Virtual PCD*')"
    serve windows
    detach
    attach "$1" "$1"
    fetch 35976 windows/log
    unconfigure
    passed "$1: a server signs with the key of a token that was pulled out and put back"
}

# As daemons on a machine: root starts them, in a HOME that no other user may read.
if [ "$(id -u)" != 0 ]; then
    skipped "recipes.sh: only root can start programs that change their user"
    exit 0
fi
service=www-data
prepare
unset OPENSSL_CONF
chmod 755 "$work"
chmod 700 "$HOME"
example openssl-pkcs11.cnf
start_pcscd
for identity in usb bt; do
    attach $identity $identity
    if [ $identity = bt ]; then
        expect 0 ./activate "$serial" "$password"
        # A service activates the token for itself, in a directory of its own.
        install -d -o $service -m 700 service
        XDG_DATA_HOME=$work/service expect 0 setpriv --reuid=$service --regid=$service --clear-groups \
            ./activate "$serial" "$password"
    fi
    expect 0 p11tool --provider "$module" --list-token-urls
    key="$(grep "serial=$serial" output);id=%01;type=private"
    tool --keypairgen --key-type rsa:2048 --id 01 --label key
    OPENSSL_CONF=$work/openssl-pkcs11.cnf expect 0 openssl req -new -x509 -engine pkcs11 -keyform engine -key "$key" \
        -subj /CN=Kanal -days 30 -out certificate.pem
    for recipe in "${@:-nginx apache stunnel openvpn eap p11_kit gost windows}"; do
        for name in $recipe; do
            "${name}_recipe" $identity
            stop_others
            rm -rf "$name"
        done
    done
    detach
    rm -f authority.pem
done
echo "recipes.sh: passed"
