#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Programs of Debian that serve or connect with keys of an emulated token by the engine "kanal", as docs/Engine.md sets them
# up, nginx under load. The other side has its keys in files. nginx's workers and Apache's run as a different user, for
# whom a token without a channel needs nothing.
# bats file_tags=apart
load ../common
load engine
load ../servers

suite=GOST2012-KUZNYECHIK-KUZNYECHIKOMAC

setup_file() {
    prepare
    may_change_user || return 0
    install_engine
    sed "s|^#PIN.*|PIN = $pin|" "$root/Packaging/kanal-openssl.cnf" > kanal.cnf
    start_pcscd
}

teardown() { stop_started; }

# A token with keys that have certificates of their own, as "gost256.pem" and "rsa2048.pem", and a key in a file.
bring() {
    local kind
    local generate=(pkcs11-tool --module "$module" --login --pin "$pin" --keypairgen --usage-sign)
    attach_paired
    uri="pkcs11:serial=$serial"
    # Only root has activated a token with a channel.
    service=www-data
    [ "$identity" = usb ] || service=root
    keep uri service
    expect 0 "${generate[@]}" --slot "$slot" --id 01 --label gost256 --key-type GOSTR3410-2012-256:A --usage-derive
    expect 0 "${generate[@]}" --slot "$slot" --id 02 --label rsa2048 --key-type rsa:2048
    for kind in gost256 rsa2048; do
        key req -new -x509 -key "$uri;object=$kind" -subj /CN=localhost -days 30 -out $kind.pem
    done
    expect 0 openssl req -x509 -newkey gost2012_256 -pkeyopt paramset:TCA -nodes -keyout other.key -out other.pem \
        -days 30 -subj /CN=localhost
}

curl_client() {
    demand gost256.pem -tls1_2
    OPENSSL_CONF=$work/kanal.cnf fetch https://localhost:35970/ --engine kanal --key-type ENG --key "$uri;object=gost256" \
        --cert gost256.pem --cacert other.pem --ciphers $suite
    printed "Cipher.*: $suite"
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
    demand gost256.pem -tls1_2
    serve_pages 35973
    OPENSSL_CONF=$work/kanal.cnf start stunnel.log stunnel stunnel.conf
    fetch http://localhost:35971/
    printed "Cipher.*: $suite"
    fetch https://localhost:35972/ --cacert gost256.pem --ciphers $suite
}

# Requests in four connections to nginx, which opens one of its own for each; in the middle its workers are replaced.
under_load() {
    local client clients=() requests
    requests=$(amount 40 1000)
    for client in 1 2 3 4; do
        curl --silent --show-error --fail "http://127.0.0.1:35971/?$client-[1-$((requests / 4))]" > load$client 2>&1 3>&- &
        clients+=($!)
    done
    while [ "$(cat load? | grep -c "Cipher.*: $suite")" -lt $((requests / 3)) ]; do
        kill -0 "${clients[@]}" || fail "requests have failed: $(tail -n 3 load? nginx/error.log)"
        sleep 0.2
    done
    replace_workers
    for client in "${clients[@]}"; do
        wait "$client" || fail "a request has failed: $(tail -n 3 load? nginx/error.log)"
    done
    [ "$(cat load? | grep -c "Cipher.*: $suite")" = $((requests / 4 * 4)) ] || fail "pages are missing"
    # The last request may be over before the new workers have their keys.
    workers_are_replaced
}

nginx_both() {
    local key="engine:kanal:$uri;object"
    nginx_configuration "env HOME" "env XDG_CONFIG_HOME" "env XDG_DATA_HOME" "ssl_engine kanal" << END2
    server {
        listen 127.0.0.1:35971;
        location / {
            proxy_pass https://127.0.0.1:35970;
            proxy_ssl_certificate $work/gost256.pem;
            proxy_ssl_certificate_key "$key=gost256";
            proxy_ssl_trusted_certificate $work/other.pem;
            proxy_ssl_verify on;
            proxy_ssl_name localhost;
            proxy_ssl_protocols TLSv1.2;
            proxy_ssl_ciphers $suite;
            proxy_ssl_session_reuse off;
        }
    }
$(nginx_server 35972 "$work/gost256.pem" "$key=gost256" "ssl_protocols TLSv1.2; ssl_ciphers $suite;")
$(nginx_server 35974 "$work/rsa2048.pem" "$key=rsa2048" "ssl_protocols TLSv1.3;")
END2
    demand gost256.pem -tls1_2
    OPENSSL_CONF=$work/kanal.cnf start_nginx
    fetch http://localhost:35971/
    printed "Cipher.*: $suite"
    fetch https://localhost:35972/ --cacert gost256.pem --ciphers $suite
    printed served
    fetch https://localhost:35974/ --cacert rsa2048.pem --tlsv1.3
    printed served
    under_load
}

apache_server() {
    apache_configuration 35972 "$work/rsa2048.pem" "$uri;object=rsa2048" 'SSLCryptoDevice pkcs11' << END2
    SSLVerifyClient require
    SSLCACertificateFile $work/rsa2048.pem
END2
    # Apache reads the part before the colon as the engine's name.
    local bound="engine_id = dynamic\nSO_PATH = $OPENSSL_ENGINES/kanal.so\nID = pkcs11\nLIST_ADD = 1\nLOAD = EMPTY"
    sed "s|^engine_id = kanal|$bound|" kanal.cnf > pkcs11.cnf
    OPENSSL_CONF=$work/pkcs11.cnf start_apache
    OPENSSL_CONF=$work/kanal.cnf fetch https://localhost:35972/ --cacert rsa2048.pem --engine kanal --key-type ENG \
        --key "$uri;object=rsa2048" --cert rsa2048.pem
    printed served
    expect 56 curl --silent --show-error --fail --connect-to ::127.0.0.1: --cacert rsa2048.pem https://localhost:35972/
}

@test "usb: curl proves itself" { on usb curl_client; }
@test "usb: stunnel proves itself and serves" { on usb stunnel_both; }
@test "usb: Apache's processes serve clients with a certificate, and no others" { on usb apache_server; }

# bats test_tags=long
@test "usb: nginx's workers prove themselves and serve, and are replaced under load" { on usb nginx_both; }

# bats test_tags=long
@test "bt: nginx's workers prove themselves and serve, and are replaced under load" { on bt nginx_both; }
