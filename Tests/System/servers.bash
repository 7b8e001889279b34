# SPDX-License-Identifier: Apache-2.0
# Programs that serve or connect with a token's key, and their configurations, for files that load common. nginx's workers and
# Apache's processes run as the user $service.

service=www-data

# Whether there are the rights to start programs that change their user, who may read in $work. Otherwise all is skipped.
may_change_user() {
    if [ "$(id -u)" != 0 ]; then
        skip_all "only root can start programs that change their user"
        return 1
    fi
    chmod 755 "$BATS_RUN_TMPDIR" "$BATS_RUN_TMPDIR/file" "$work"
}

# Starts a program that runs on, up to the end of the test: the file for what it prints, command. Apache ends its whole
# group, so each has its own.
started=()
start() {
    setsid "${@:2}" > "$1" 2>&1 < /dev/null 3>&- &
    adopt $!
    started+=($!)
}

stop_started() {
    local process
    for process in "${started[@]}"; do
        stop "$process"
        wait "$process" 2> /dev/null || true
    done
    started=()
}

# fetch URL OPTION…: a page of this machine by curl, when it is there, and six times more, each in a connection of its own.
fetch() {
    local get=(curl --silent --show-error --fail --connect-to ::127.0.0.1: "$@")
    wait_until "${get[@]}" || fail "no page: $("${get[@]}" 2>&1; tail -n 5 ./*.log ./*/*.log 2> /dev/null)"
    for _ in {1..6}; do expect 0 "${get[@]}"; done
}

# Serves pages on a port, without TLS.
serve_pages() {
    mkdir -p pages
    echo served > pages/index.html
    start pages.log python3 -m http.server --bind 127.0.0.1 --directory pages "$1"
}

# demand AUTHORITY OPTION…: a server with the key other.key that wants a certificate of this authority, on port 35970.
demand() {
    start demand.log openssl s_server -accept 127.0.0.1:35970 -www -key other.key -cert other.pem -CAfile "$1" -Verify 1 \
        -verify_return_error "${@:2}"
}

# nginx_configuration DIRECTIVE…: writes nginx/nginx.conf, with more directives, and the servers from standard input.
nginx_configuration() {
    rm -rf nginx
    mkdir nginx
    cat > nginx/nginx.conf << END
user $service;
worker_processes 2;
pid $work/nginx/pid;
error_log $work/nginx/error.log notice;
$(printf '%s;\n' "$@")
events { }
http {
    access_log off;
$(for kind in client_body proxy fastcgi uwsgi scgi; do echo "    ${kind}_temp_path $work/nginx/$kind;"; done)
$(cat)
}
END
}

# nginx_server PORT CERTIFICATE KEY [DIRECTIVES]: one of these servers.
nginx_server() {
    cat << END
    server {
        listen 127.0.0.1:$1 ssl;
        ssl_certificate $2;
        ssl_certificate_key "$3";
        ${4:-}
        location / { return 200 "served"; }
    }
END
}

start_nginx() { start nginx.log nginx -c "$work/nginx/nginx.conf" -g 'daemon off;'; }
replace_workers() { kill -HUP "$(cat nginx/pid)"; }
workers_are_replaced() {
    wait_until grep -q 'gracefully shutting down' nginx/error.log || fail "no worker was replaced: $(cat nginx/error.log)"
}

# apache_configuration PORT CERTIFICATE KEY [DIRECTIVE]: writes apache/apache.conf, with a directive for the server, and those
# of its host from standard input.
apache_configuration() {
    local modules=/usr/lib/apache2/modules
    rm -rf apache
    mkdir apache
    echo served > apache/index.html
    cat > apache/apache.conf << END
ServerRoot $work/apache
ServerName localhost
Listen 127.0.0.1:$1
PidFile $work/apache/pid
ErrorLog $work/apache.log
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
${4:-}
SSLSessionCache none
<VirtualHost 127.0.0.1:$1>
    SSLEngine on
    SSLCertificateFile $2
    SSLCertificateKeyFile "$3"
$(cat)
</VirtualHost>
END
}

start_apache() { start apache.output apache2 -f "$work/apache/apache.conf" -DFOREGROUND; }

# openvpn_server CERTIFICATE KEY: on port 35977, for clients by the command $openvpn_client.
openvpn=(openvpn --dev null --proto udp --ca authority.pem --reneg-sec 3 --verb 3)
openvpn_client=("${openvpn[@]}" --remote 127.0.0.1 35977 --nobind --tls-client --persist-key --persist-tun)
openvpn_server() {
    start openvpn-server.log "${openvpn[@]}" --local 127.0.0.1 --port 35977 --tls-server --dh none --cert "$1" --key "$2"
}
# The client of this name signs again when the keys are renegotiated.
openvpn_signs_again() {
    wait_until sh -c '[ "$(grep -c "VERIFY OK: depth=0, CN=$0" openvpn-server.log)" -ge 3 ]' "$1" \
        || fail "OpenVPN: $(tail -n 20 openvpn-client.log)"
}

# eap_server CERTIFICATE KEY: hostapd's RADIUS server for EAP-TLS at port 35978.
eap_server() {
    rm -rf eap
    mkdir eap
    cat > eap/hostapd.conf << END
driver=none
radius_server_clients=$work/eap/clients
radius_server_auth_port=35978
eap_server=1
eap_user_file=$work/eap/users
ca_cert=$work/authority.pem
server_cert=$1
private_key=$2
END
    echo '127.0.0.1/32 secret' > eap/clients
    echo '* TLS' > eap/users
    start eap/hostapd.log hostapd eap/hostapd.conf
    wait_until grep -q AP-ENABLED eap/hostapd.log || fail "hostapd: $(cat eap/hostapd.log)"
}

# eap_client LINE…: writes supplicant.conf, of a client with the key of these lines.
eap_client() {
    printf '%s\n' 'network={' 'key_mgmt=WPA-EAP' 'eap=TLS' 'identity="client"' "ca_cert=\"$work/authority.pem\"" "$@" '}' \
        > supplicant.conf
}
