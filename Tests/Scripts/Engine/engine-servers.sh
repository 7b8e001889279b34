#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# engine-servers.sh [REQUESTS] IDENTITY...: programs of Debian that serve or connect with keys of an emulated token by
# the engine "kanal", as docs/Engine.md sets them up, nginx under load. The other side has its keys in files. nginx's
# workers and Apache's processes are another user's, for whom a token without a channel needs nothing.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. Tests/Scripts/common.sh
. Tests/Scripts/servers.sh

export OPENSSL_ENGINES=$work/lib/engines-3
suite=GOST2012-KUZNYECHIK-KUZNYECHIKOMAC

# Starts a program that runs on: the file for what it prints, command. Apache ends its whole group, so it has its own.
start() {
    setsid "${@:2}" > "$1" 2>&1 < /dev/null &
    others+=($!)
}
stop_others() {
    for process in "${others[@]}"; do
        stop "$process"
        wait "$process" 2> /dev/null || true
    done
    others=()
}
key() { OPENSSL_CONF=$work/kanal.cnf expect 0 openssl "$1" -engine kanal -keyform engine "${@:2}"; }

# fetch PORT NUMBER OPTION...: pages by curl, each in a connection of its own.
fetch() {
    local get=(curl --silent --show-error --fail "${@:3}")
    wait_until "${get[@]}" || fail "no page from port $1: $(tail -n 5 ./*.log nginx/error.log 2> /dev/null)"
    for _ in $(seq "$2"); do expect 0 "${get[@]}"; done
}

settings() {
    mkdir -p "$OPENSSL_ENGINES"
    ln -s "$(pkg-config libcrypto --variable=enginesdir)/gost.so" "$root/.build/release/engines-3/kanal.so" \
        "$OPENSSL_ENGINES"
    ln -s "$module" lib
    sed "s|^#PIN.*|PIN = $pin|" "$root/Packaging/kanal-openssl.cnf" > kanal.cnf
}

# Keys of the token with certificates of their own, as "gost256.pem" and "rsa2048.pem", and a key in a file.
certify() {
    local kind
    local generate=(pkcs11-tool --module "$module" --slot "$slot" --login --pin $pin --keypairgen --usage-sign)
    expect 0 "${generate[@]}" --id 01 --label gost256 --key-type GOSTR3410-2012-256:A --usage-derive
    expect 0 "${generate[@]}" --id 02 --label rsa2048 --key-type rsa:2048
    for kind in gost256 rsa2048; do
        key req -new -x509 -key "$uri;object=$kind" -subj /CN=localhost -days 30 -out $kind.pem
    done
    expect 0 openssl req -x509 -newkey gost2012_256 -pkeyopt paramset:TCA -nodes -keyout other.key -out other.pem \
        -days 30 -subj /CN=localhost
}

# A server in software that wants the token's certificate, on port 35970.
demand() {
    start demand.log openssl s_server -accept 127.0.0.1:35970 -tls1_2 -www -key other.key -cert other.pem \
        -CAfile gost256.pem -Verify 1 -verify_return_error
}

curl_client() {
    demand
    OPENSSL_CONF=$work/kanal.cnf fetch 35970 3 --resolve localhost:35970:127.0.0.1 --engine kanal --key-type ENG \
        --key "$uri;object=gost256" --cert gost256.pem --cacert other.pem --ciphers $suite https://localhost:35970/
    printed "Cipher.*: $suite"
    passed "$identity: curl proves itself"
}

stunnel_both() {
    cat > stunnel.conf << END2
foreground = yes
pid =
engine = kanal
[client]
client = yes
accept = 127.0.0.1:35971
connect = 127.0.0.1:35970
engineId = kanal
cert = $work/gost256.pem
key = $uri;object=gost256
CAfile = $work/other.pem
verifyChain = yes
ciphers = $suite
[server]
sslVersionMax = TLSv1.2
accept = 127.0.0.1:35972
connect = 127.0.0.1:35973
engineId = kanal
cert = $work/gost256.pem
key = $uri;object=gost256
END2
    demand
    mkdir pages
    start pages.log python3 -m http.server --bind 127.0.0.1 --directory pages 35973
    OPENSSL_CONF=$work/kanal.cnf start stunnel.log stunnel stunnel.conf
    fetch 35971 3 http://127.0.0.1:35971/
    printed "Cipher.*: $suite"
    fetch 35972 3 --resolve localhost:35972:127.0.0.1 --cacert gost256.pem --ciphers $suite https://localhost:35972/
    passed "$identity: stunnel proves itself and serves"
}

# Requests in four connections to nginx, which opens one of its own for each; in the middle its workers are replaced.
under_load() {
    local client clients=() start=$EPOCHREALTIME
    for client in 1 2 3 4; do
        curl --silent --show-error --fail "http://127.0.0.1:35971/?$client-[1-$((requests / 4))]" > load$client 2>&1 &
        clients+=($!)
    done
    while [ "$(cat load? | grep -c "Cipher.*: $suite")" -lt $((requests / 3)) ]; do
        kill -0 "${clients[@]}" || fail "requests have failed: $(tail -n 3 load? nginx/error.log)"
        sleep 0.2
    done
    kill -HUP "$(cat nginx/pid)"
    for client in "${clients[@]}"; do
        wait "$client" || fail "a request has failed: $(tail -n 3 load? nginx/error.log)"
    done
    [ "$(cat load? | grep -c "Cipher.*: $suite")" = $((requests / 4 * 4)) ] || fail "pages are missing"
    # The last request may be over before the new workers have their keys.
    wait_until grep -q 'gracefully shutting down' nginx/error.log || fail "no worker was replaced: $(cat nginx/error.log)"
    awk -v start="$start" -v end="$EPOCHREALTIME" -v number="$requests" \
        'BEGIN { printf "%.1f handshakes a second\n", number / (end - start) }'
}

nginx_both() {
    mkdir nginx
    cat > nginx/nginx.conf << END2
user $service;
worker_processes 2;
pid $work/nginx/pid;
error_log $work/nginx/error.log notice;
env HOME;
env XDG_CONFIG_HOME;
env XDG_DATA_HOME;
ssl_engine kanal;
events { }
http {
    access_log off;
    client_body_temp_path $work/nginx/body;
    proxy_temp_path $work/nginx/proxy;
    fastcgi_temp_path $work/nginx/fastcgi;
    uwsgi_temp_path $work/nginx/uwsgi;
    scgi_temp_path $work/nginx/scgi;
    server {
        listen 127.0.0.1:35971;
        location / {
            proxy_pass https://127.0.0.1:35970;
            proxy_ssl_certificate $work/gost256.pem;
            proxy_ssl_certificate_key "engine:kanal:$uri;object=gost256";
            proxy_ssl_trusted_certificate $work/other.pem;
            proxy_ssl_verify on;
            proxy_ssl_name localhost;
            proxy_ssl_protocols TLSv1.2;
            proxy_ssl_ciphers $suite;
            proxy_ssl_session_reuse off;
        }
    }
    server {
        listen 127.0.0.1:35972 ssl;
        ssl_protocols TLSv1.2;
        ssl_ciphers $suite;
        ssl_certificate $work/gost256.pem;
        ssl_certificate_key "engine:kanal:$uri;object=gost256";
        location / { return 200 "served"; }
    }
    server {
        listen 127.0.0.1:35974 ssl;
        ssl_protocols TLSv1.3;
        ssl_certificate $work/rsa2048.pem;
        ssl_certificate_key "engine:kanal:$uri;object=rsa2048";
        location / { return 200 "served"; }
    }
}
END2
    demand
    OPENSSL_CONF=$work/kanal.cnf start nginx.log nginx -c "$work/nginx/nginx.conf" -g 'daemon off;'
    fetch 35971 3 http://127.0.0.1:35971/
    printed "Cipher.*: $suite"
    fetch 35972 5 --resolve localhost:35972:127.0.0.1 --cacert gost256.pem --ciphers $suite https://localhost:35972/
    printed served
    fetch 35974 5 --resolve localhost:35974:127.0.0.1 --cacert rsa2048.pem --tlsv1.3 https://localhost:35974/
    printed served
    under_load
    passed "$identity: nginx's workers prove themselves and serve, and are replaced under $requests requests"
}

apache_server() {
    apache_configuration 35972 "$work/rsa2048.pem" "$uri;object=rsa2048" 'SSLCryptoDevice pkcs11' << END2
    SSLVerifyClient require
    SSLCACertificateFile $work/rsa2048.pem
END2
    # Apache takes what stands before the colon for the engine's name.
    local bound="engine_id = dynamic\nSO_PATH = $OPENSSL_ENGINES/kanal.so\nID = pkcs11\nLIST_ADD = 1\nLOAD = EMPTY"
    sed "s|^engine_id = kanal|$bound|" kanal.cnf > pkcs11.cnf
    OPENSSL_CONF=$work/pkcs11.cnf start apache-output.log apache2 -f "$work/apache/apache.conf" -DFOREGROUND
    local get=(--resolve localhost:35972:127.0.0.1 --cacert rsa2048.pem https://localhost:35972/)
    OPENSSL_CONF=$work/kanal.cnf fetch 35972 5 --engine kanal --key-type ENG --key "$uri;object=rsa2048" \
        --cert rsa2048.pem "${get[@]}"
    printed served
    expect 56 curl --silent --show-error --fail "${get[@]}"
    passed "$identity: Apache's processes serve clients with a certificate, and no others"
}

if [ "$(id -u)" != 0 ]; then
    skipped "engine-servers.sh: only root can start programs that change their user"
    exit 0
fi
requests=40
[[ ! ${1:-} =~ ^[0-9]+$ ]] || { requests=$1 && shift; }
prepare
settings
chmod 755 "$work"
start_pcscd
for identity in "${@:-usb}"; do
    service=www-data
    attach $identity $identity
    if [ $identity = bt ]; then
        # Only root has activated the token.
        service=root
        configure 'wireless_readers = Virtual PCD *'
        PASSWORD=$password expect 0 "$kanal" pair --password-source env:PASSWORD
    fi
    uri="pkcs11:serial=$serial"
    certify
    programs="curl_client stunnel_both nginx_both apache_server"
    [ $identity = usb ] || programs=nginx_both
    for program in $programs; do
        $program
        stop_others
    done
    detach
    rm -rf nginx apache pages
done
echo "engine-servers.sh: passed"
