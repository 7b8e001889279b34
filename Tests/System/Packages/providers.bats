#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Programs that load a key file with a URI in it, by the provider kanal and by pkcs11-provider, and OpenSSL's commands by the
# latter, in a Debian of roots.sh.
# bats file_tags=night
export KANAL_INSTALLED=yes
load ../common
load ../servers
load programs

# The provider by the file of an example, as an administrator would fill it in; the packages of programs.
kanal_provider() {
    needs kanal-openssl-provider "$@"
    kanal_settings
}
kanal_settings() {
    provider=$work/kanal.cnf
    sed "s|^\[kanal\]|&\nPIN = $pin\nSERIAL = $serial|" /usr/share/doc/kanal/kanal-provider.cnf > "$provider"
}

# The same, with GOST keys hidden from these programs.
pkcs11_provider() {
    local program
    needs pkcs11-provider "$@"
    provider=$work/provider.cnf
    sed "s|/usr/local/lib/libkanal-pkcs11.so|$module|; s|/etc/kanal/token.pin|$work/pin|" \
        "$root/Examples/openssl-provider.cnf" > "$provider"
    echo -n $pin > "$work/pin"
    chmod 644 "$work/pin"
    for program in openssl "$(basename "$(realpath /usr/bin/python3)")" lighttpd stunnel stunnel4 nginx postgres; do
        printf '[program %s]\nhide_keys = gost\n' "$program"
    done >> /etc/kanal/kanal.conf
}

by_provider() { OPENSSL_CONF=$provider expect 0 "$@"; }

# key_file LABEL: writes a key file that holds the URI of a key of the token.
key_file() {
    by_provider openssl pkey -in "pkcs11:object=$1;type=private" -out "$1.key"
    grep -q '^-----BEGIN PKCS#11 PROVIDER URI-----' "$1.key" || fail "another file: $(cat "$1.key")"
}

python_serves() {
    key_file rsa
    cat > server.py << 'END'
import socket, ssl, sys
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[1], sys.argv[2])
listener = socket.create_server(("127.0.0.1", 35973))
while True:
    connection = listener.accept()[0]
    try:
        with context.wrap_socket(connection, server_side=True) as tls:
            tls.recv(1)
    except OSError as error:
        print(error, flush=True)
END
    OPENSSL_CONF=$provider start server.log python3 server.py "$work/rsa.pem" rsa.key
    greets 35973 rsa server.log
}

lighttpd_serves() {
    key_file ec
    cat > lighttpd.conf << END
server.document-root = "$PWD"
server.port = 35974
server.bind = "127.0.0.1"
server.modules = ("mod_openssl")
ssl.engine = "enable"
ssl.pemfile = "$work/ec.pem"
ssl.privkey = "$PWD/ec.key"
END
    OPENSSL_CONF=$provider start server.log lighttpd -D -f lighttpd.conf
    greets 35974 ec server.log
}

stunnel_serves() {
    key_file rsa
    cat > stunnel.conf << END
foreground = yes
pid =
[web]
accept = 127.0.0.1:35975
exec = /bin/cat
execArgs = cat
cert = $work/rsa.pem
key = $PWD/rsa.key
END
    OPENSSL_CONF=$provider start server.log stunnel stunnel.conf
    greets 35975 rsa server.log
}

nginx_serves() {
    key_file ec
    local key="$PWD/ec.key"
    if dpkg --compare-versions "$(version nginx)" ge 1.29; then
        key="store:pkcs11:object=ec;type=private"
    fi
    mkdir temporary
    cat > nginx.conf << END
worker_processes 1;
pid $PWD/pid;
error_log $PWD/error.log;
events { }
http {
    access_log off;
    client_body_temp_path $PWD/temporary/body;
    proxy_temp_path $PWD/temporary/proxy;
    fastcgi_temp_path $PWD/temporary/fastcgi;
    uwsgi_temp_path $PWD/temporary/uwsgi;
    scgi_temp_path $PWD/temporary/scgi;
    server {
        listen 127.0.0.1:35976 ssl;
        ssl_certificate $work/ec.pem;
        ssl_certificate_key "$key";
        location / { return 200 "served"; }
    }
}
END
    OPENSSL_CONF=$provider start server.log nginx -c "$PWD/nginx.conf" -g 'daemon off;'
    greets 35976 ec error.log
}

postgres_serves() {
    local programs data=$PWD/data
    programs=$(echo /usr/lib/postgresql/*/bin)
    key_file rsa
    install -o postgres -m 600 rsa.key "$PWD/server.key"
    install -d -o postgres "$data" "$PWD/home"
    local as=(setpriv --reuid=postgres --regid=postgres --clear-groups env "HOME=$PWD/home")
    expect 0 "${as[@]}" "$programs/initdb" -D "$data" -A trust
    as+=("OPENSSL_CONF=$provider")
    start server.log "${as[@]}" "$programs/postgres" -D "$data" -c listen_addresses=127.0.0.1 -c port=35977 -c ssl=on \
        -c "ssl_cert_file=$work/rsa.pem" -c "ssl_key_file=$PWD/server.key" -c "unix_socket_directories=$PWD/home"
    local greeting=(openssl s_client -starttls postgres -connect 127.0.0.1:35977 -CAfile "$work/authority.pem"
        -verify_return_error -brief)
    wait_until sh -c '"$@" < /dev/null' sh "${greeting[@]}" || fail "no server: $(tail -n 20 server.log)"
    expect 0 "${greeting[@]}" < /dev/null
    printed 'Verification: OK'
}

@test "pkcs11-provider: dgst, req, cms and s_server with RSA and P-256 by their URIs" {
    pkcs11_provider
    local name uri
    for name in rsa ec; do
        uri="pkcs11:object=$name;type=private"
        by_provider openssl pkey -in "pkcs11:object=$name;type=public" -pubin -pubout -out public
        cmp public "$work/$name.pub"
        by_provider openssl dgst -sha256 -sign "$uri" -out signature "$work/message"
        expect 0 openssl dgst -sha256 -verify "$work/$name.pub" -signature signature "$work/message"
        by_provider openssl req -new -key "$uri" -subj /CN=Kanal -out request.pem
        expect 0 openssl req -in request.pem -verify -noout
        by_provider openssl req -x509 -key "$uri" -subj /CN=Kanal -days 30 -out self.pem
        expect 0 openssl verify -CAfile self.pem -check_ss_sig self.pem
        by_provider openssl cms -sign -nodetach -inkey "$uri" -signer "$work/$name.pem" -in "$work/message" -binary \
            -outform der -out signed
        opens signed "$work/authority.pem"
        OPENSSL_CONF=$provider start server.log openssl s_server -accept 127.0.0.1:35972 -key "$uri" \
            -cert "$work/$name.pem" -www
        greets 35972 $name server.log
        stop_started
    done
    by_provider openssl storeutl -noout pkcs11:
    printed 'Total found: '
    expect 0 openssl cms -encrypt -aes256 -in "$work/message" -binary -outform der -out enveloped "$work/rsa.pem"
    by_provider openssl cms -decrypt -inkey "pkcs11:object=rsa;type=private" -recip "$work/rsa.pem" -inform der \
        -in enveloped -out opened
    cmp "$work/message" opened
}

@test "pkcs11-provider: OpenSSL writes files that hold a URI, also for new keys of RSA and P-256, and signs with them" {
    pkcs11_provider
    local name
    for name in rsa ec; do
        key_file $name
        by_provider openssl dgst -sha256 -sign $name.key -out signature "$work/message"
        expect 0 openssl dgst -sha256 -verify "$work/$name.pub" -signature signature "$work/message"
    done
    for name in RSA:rsa_keygen_bits:2048 EC:ec_paramgen_curve:P-256; do
        by_provider openssl genpkey -propquery provider=pkcs11 -algorithm "${name%%:*}" -pkeyopt "${name#*:}" \
            -pkeyopt "pkcs11_uri:pkcs11:token=$token_name;object=made-${name%%:*}" -out made.key
        grep -q '^-----BEGIN PKCS#11 PROVIDER URI-----' made.key || fail "another file: $(cat made.key)"
        by_provider openssl req -new -key made.key -subj /CN=Made -out request.pem
        expect 0 openssl req -in request.pem -verify -noout
        by_kanal key delete --yes "made-${name%%:*}"
    done
}

# BIND asks for new keys by the property provider=pkcs11, which Kanal's provider does not have.
@test "pkcs11-provider: BIND makes keys on the token, and it and the provider kanal sign a zone with them" {
    pkcs11_provider bind9-utils
    is_since bind9-utils 9.20 || skip "BIND of this Debian is built without providers"
    local key="key-store token lifetime unlimited algorithm ecdsap256sha256"
    make_zone
    printf '%s\n' "key-store token { directory \".\"; pkcs11-uri \"pkcs11:token=$token_name\"; };" \
        "dnssec-policy token { keys { ksk $key; zsk $key; }; };" > named.conf
    by_provider dnssec-keygen -k token -l named.conf example.
    by_provider dnssec-signzone -S -o example. -f signed zone
    verify_zone ECDSAP256SHA256
    rm signed
    kanal_settings
    by_provider dnssec-signzone -S -o example. -f signed zone
    verify_zone ECDSAP256SHA256
}

@test "Python serves TLS by the provider kanal" { kanal_provider python3; python_serves; }
@test "lighttpd serves TLS by the provider kanal" { kanal_provider lighttpd-mod-openssl; lighttpd_serves; }
@test "stunnel serves TLS by the provider kanal" { kanal_provider stunnel4; stunnel_serves; }
@test "nginx serves TLS by the provider kanal" { kanal_provider nginx; nginx_serves; }
@test "PostgreSQL serves TLS by the provider kanal" { kanal_provider postgresql; postgres_serves; }
@test "Python serves TLS by pkcs11-provider" { pkcs11_provider python3; python_serves; }
@test "lighttpd serves TLS by pkcs11-provider" { pkcs11_provider lighttpd-mod-openssl; lighttpd_serves; }
@test "stunnel serves TLS by pkcs11-provider" { pkcs11_provider stunnel4; stunnel_serves; }
@test "nginx serves TLS by pkcs11-provider" { pkcs11_provider nginx; nginx_serves; }
@test "PostgreSQL serves TLS by pkcs11-provider" { pkcs11_provider postgresql; postgres_serves; }
