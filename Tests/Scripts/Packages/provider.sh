# SPDX-License-Identifier: Apache-2.0
# The rows of programs.sh that go by OpenSSL's providers: programs that load a key file with a URI in it, with the provider
# kanal and with pkcs11-provider, and OpenSSL's commands with the latter. To be sourced by programs.sh.

# The files of the examples, as an administrator would fill them in.
provide_kanal() {
    provider=$work/kanal.cnf
    sed "s|^\[kanal\]|&\nPIN = $pin\nSERIAL = $serial|" /usr/share/doc/kanal/kanal-provider.cnf > "$provider"
    chmod 755 "$work"
}
# GOST keys are hidden from these programs.
provide() {
    local program
    provider=$work/provider.cnf
    sed "s|/usr/local/lib/libkanal-pkcs11.so|$module|; s|/etc/kanal/token.pin|$work/pin|" \
        "$root/Examples/openssl-provider.cnf" > "$provider"
    echo -n $pin > "$work/pin"
    chmod 644 "$work/pin"
    for program in openssl "$(basename "$(realpath /usr/bin/python3)")" lighttpd stunnel stunnel4 nginx postgres; do
        printf '[program %s]\nhide_gost_keys = on\n' "$program"
    done >> /etc/kanal/kanal.conf
}

by_provider() { OPENSSL_CONF=$provider expect 0 "$@"; }

# key_file LABEL: writes a key file that holds the URI of a key of the token.
key_file() {
    by_provider openssl pkey -in "pkcs11:object=$1;type=private" -out "$1.key"
    grep -q '^-----BEGIN PKCS#11 PROVIDER URI-----' "$1.key" || fail "another file: $(cat "$1.key")"
}

provider_uris() {
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
        expect 0 openssl cms -verify -inform der -in signed -CAfile "$work/authority.pem" -purpose any -binary -out opened
        cmp "$work/message" opened
        OPENSSL_CONF=$provider start server.log openssl s_server -accept 127.0.0.1:35972 -key "$uri" \
            -cert "$work/$name.pem" -www
        greets 35972 $name server.log
        stop "${others[-1]}"
    done
    by_provider openssl storeutl -noout pkcs11:
    printed 'Total found: '
    expect 0 openssl cms -encrypt -aes256 -in "$work/message" -binary -outform der -out enveloped "$work/rsa.pem"
    by_provider openssl cms -decrypt -inkey "pkcs11:object=rsa;type=private" -recip "$work/rsa.pem" -inform der \
        -in enveloped -out opened
    cmp "$work/message" opened
    passed "$(version pkcs11-provider): dgst, req, cms and s_server with RSA and P-256 by their URIs"
}

provider_files() {
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
        as_user key delete --yes "made-${name%%:*}"
    done
    passed "OpenSSL writes files that hold a URI, also for new keys of RSA and P-256, and signs with them"
}

provider_python() {
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
    passed "$(version python3): load_cert_chain takes a key file that holds a URI, and serves TLS"
}

provider_lighttpd() {
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
    passed "$(version lighttpd): it serves TLS with a key file that holds a URI"
}

provider_stunnel() {
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
    passed "$(version stunnel4): it serves TLS with a key file that holds a URI"
}

provider_nginx() {
    key_file ec
    local key="$PWD/ec.key" said="a key file that holds a URI"
    if dpkg --compare-versions "$(version nginx)" ge 1.29; then
        key="store:pkcs11:object=ec;type=private" said="a key's URI"
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
    passed "$(version nginx): it serves TLS with $said"
}

provider_postgres() {
    local programs data=$PWD/data
    programs=$(echo /usr/lib/postgresql/*/bin)
    key_file rsa
    chmod 755 .
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
    passed "$(basename "${programs%/bin}"): it serves TLS with a key file that holds a URI"
}

# program_rows PACKAGE NAME
program_rows() {
    row provider_python "$1 python3" "Python with $2"
    row provider_lighttpd "$1 lighttpd-mod-openssl" "lighttpd with $2"
    row provider_stunnel "$1 stunnel4" "stunnel with $2"
    row provider_nginx "$1 nginx" "nginx with $2"
    row provider_postgres "$1 postgresql" "PostgreSQL with $2"
}
provider_rows() {
    provide_kanal
    program_rows kanal-openssl-provider "provider kanal"
    provide
    row provider_uris "pkcs11-provider" "pkcs11-provider by URIs"
    row provider_files "pkcs11-provider" "pkcs11-provider by key files"
    program_rows pkcs11-provider pkcs11-provider
}
