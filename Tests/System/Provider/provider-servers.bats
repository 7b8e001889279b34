#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Programs of Debian that know key files only use an RSA key of an emulated token by a file that "kanal key file" has written,
# and the provider "kanal", as docs/Provider.md sets them up. nginx's workers and Apache's processes run as a different user.
# bats file_tags=share
load ../common
load ../servers
load provider

setup_file() {
    prepare
    may_change_user || return 0
    start_pcscd
    provider_settings
    attach usb usb
    certify
}

teardown() {
    stop_started
    unconfigure
}

# Runs a command with the provider.
by_provider() { OPENSSL_CONF=$work/own.cnf OPENSSL_MODULES=$work/lib/ossl-modules "$@"; }

# The token's key, as the file rsa.key, and its certificate; an authority, and a key of a file.
certify() {
    by_kanal key generate --kind rsa2048 --label rsa
    by_kanal key file rsa --output rsa.key
    sed "s|^\[kanal\]|&\nPIN = $pin\nSERIAL = $serial|" provider.cnf > own.cnf
    expect 0 openssl req -x509 -newkey rsa:2048 -noenc -keyout authority.key -out authority.pem -subj /CN=Authority -days 30
    local name
    printf 'subjectAltName = DNS:localhost\n' > end.cnf
    openssl genrsa -out other.key 2048 2> /dev/null
    for name in rsa other; do
        by_provider expect 0 openssl req -new -key $name.key -subj /CN=localhost -out $name.csr
        expect 0 openssl x509 -req -in $name.csr -CA authority.pem -CAkey authority.key -extfile end.cnf -days 30 -out $name.pem
    done
}

serves() {
    fetch "https://localhost:$1/" --cacert authority.pem
    printed served
}

@test "curl proves itself" {
    demand authority.pem
    local get=(https://localhost:35970/ --cacert authority.pem --cert rsa.pem --key rsa.key)
    by_provider fetch "${get[@]}"
    printed 'CN *= *localhost'
    expect 58 curl --silent --connect-to ::127.0.0.1: "${get[@]}"
}

@test "nginx serves, by workers of another user, which are replaced" {
    nginx_server 35972 "$work/rsa.pem" "$work/rsa.key" \
        | nginx_configuration "env "{HOME,XDG_CONFIG_HOME,XDG_DATA_HOME,OPENSSL_CONF,OPENSSL_MODULES}
    by_provider start_nginx
    serves 35972
    replace_workers
    serves 35972
    workers_are_replaced
}

@test "Apache serves, by processes of another user" {
    apache_configuration 35973 "$work/rsa.pem" "$work/rsa.key" < /dev/null
    by_provider start_apache
    serves 35973
}

@test "stunnel proves itself and serves" {
    cat > stunnel.conf << END
foreground = yes
pid =
[client]
client = yes
accept = 127.0.0.1:35971
connect = 127.0.0.1:35970
cert = $work/rsa.pem
key = $work/rsa.key
CAfile = $work/authority.pem
verifyChain = yes
[server]
accept = 127.0.0.1:35974
connect = 127.0.0.1:35975
cert = $work/rsa.pem
key = $work/rsa.key
END
    demand authority.pem
    serve_pages 35975
    by_provider start stunnel.log stunnel stunnel.conf
    fetch http://localhost:35971/
    printed 'CN *= *localhost'
    serves 35974
}

# Debian's Python, whose module ssl reads the settings of OpenSSL.
@test "Python's ssl serves and proves itself" {
    cat > server.py << 'END'
import http.server, ssl, sys

class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"served")

server = http.server.ThreadingHTTPServer(("127.0.0.1", 35976), Page)
context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
context.load_cert_chain("rsa.pem", "rsa.key")
server.socket = context.wrap_socket(server.socket, server_side=True)
server.serve_forever()
END
    cat > client.py << 'END'
import ssl, urllib.request
context = ssl.create_default_context(cafile="authority.pem")
context.load_cert_chain("rsa.pem", "rsa.key")
print(urllib.request.urlopen("https://localhost:35970/", context=context).read().decode())
END
    by_provider start python.log /usr/bin/python3 server.py
    serves 35976
    demand authority.pem
    wait_until curl --silent --cacert authority.pem --cert other.pem --key other.key --resolve localhost:35970:127.0.0.1 \
        https://localhost:35970/
    by_provider expect 0 /usr/bin/python3 client.py
    printed 'CN *= *localhost'
}

@test "OpenVPN signs with the token's key again, as nobody" {
    openvpn_server other.pem other.key
    by_provider start openvpn-client.log "${openvpn_client[@]}" --cert rsa.pem --key rsa.key --user nobody --group nogroup
    openvpn_signs_again localhost
}

# EAP-TLS by a client with a key of a file, against the RADIUS server on a port.
proves_itself() {
    eap_client "client_cert=\"$work/other.pem\"" "private_key=\"$work/other.key\""
    expect 0 eapol_test -c supplicant.conf -a 127.0.0.1 -p "$1" -s secret
    printed '^SUCCESS'
}

@test "hostapd's RADIUS server proves itself by EAP-TLS" {
    by_provider eap_server "$work/rsa.pem" "$work/rsa.key"
    proves_itself 35978
}

# It becomes another user before it reads the key file, which has no secret.
@test "FreeRADIUS proves itself by EAP-TLS, as another user" {
    install -d -o $service radius
    install -o $service -m 600 rsa.key radius/rsa.key
    install -o $service -m 600 own.cnf radius/own.cnf
    : > radius/dictionary
    # It loads this one, too.
    ln -s "$(pkg-config libcrypto --variable=modulesdir)/legacy.so" lib/ossl-modules
    cat > radius/radiusd.conf << END
prefix = /usr
libdir = /usr/lib/freeradius
raddbdir = $work/radius
logdir = $work/radius
run_dir = $work/radius
security {
    user = $service
    group = $service
}
client localhost {
    ipaddr = 127.0.0.1
    secret = secret
}
modules {
    eap {
        default_eap_type = tls
        tls-config web {
            certificate_file = $work/rsa.pem
            private_key_file = $work/radius/rsa.key
            ca_file = $work/authority.pem
            tls_max_version = "1.3"
        }
        tls {
            tls = web
        }
    }
}
server default {
    listen {
        type = auth
        ipaddr = 127.0.0.1
        port = 35979
    }
    authorize {
        eap
    }
    authenticate {
        eap
    }
}
END
    OPENSSL_CONF=$work/radius/own.cnf OPENSSL_MODULES=$work/lib/ossl-modules start radius/log freeradius -f -l stdout -x \
        -d "$work/radius"
    wait_until grep -q 'Ready to process requests' radius/log || fail "FreeRADIUS: $(tail -n 20 radius/log)"
    proves_itself 35979
}

@test "lighttpd serves, as another user" {
    cat > lighttpd.conf << END
server.document-root = "$work/pages"
server.port = 35970
server.bind = "127.0.0.1"
server.username = "$service"
server.groupname = "$service"
server.modules = ("mod_openssl", "mod_indexfile")
index-file.names = ("index.html")
mimetype.assign = (".html" => "text/html")
ssl.engine = "enable"
ssl.pemfile = "$work/rsa.pem"
ssl.privkey = "$work/rsa.key"
END
    mkdir -p pages
    echo served > pages/index.html
    by_provider start lighttpd.log lighttpd -D -f lighttpd.conf
    serves 35970
}

# A mail server's STARTTLS. Its processes read the key as root, and then run as a different user.
@test "Postfix serves, as another user" {
    mkdir postfix
    install -d -o postfix postfix/data
    cat > postfix/main.cf << END
compatibility_level = 3.6
queue_directory = $work/postfix/spool
data_directory = $work/postfix/data
maillog_file = /dev/stdout
mydestination =
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
local_recipient_maps =
import_environment = MAIL_CONFIG PATH HOME XDG_CONFIG_HOME XDG_DATA_HOME OPENSSL_CONF OPENSSL_MODULES
smtpd_tls_security_level = may
smtpd_tls_cert_file = $work/rsa.pem
smtpd_tls_key_file = $work/rsa.key
END
    cat > postfix/master.cf << END
127.0.0.1:35980 inet n - n - - smtpd
cleanup unix n - n - 0 cleanup
rewrite unix - - n - - trivial-rewrite
anvil unix - - n - 1 anvil
proxymap unix - - n - - proxymap
tlsmgr unix - - n 1000? 1 tlsmgr
postlog unix-dgram n - n - 1 postlogd
END
    mkdir postfix/spool
    expect 0 postfix -c "$work/postfix" check
    by_provider start postfix.log postfix -c "$work/postfix" start-fg
    wait_until test -s postfix/spool/pid/master.pid || fail "no mail server: $(tail -n 20 postfix.log)"
    # It is a child of what was started.
    started+=("$(tr -d ' ' < postfix/spool/pid/master.pid)")
    local greeting=(openssl s_client -starttls smtp -connect 127.0.0.1:35980 -CAfile authority.pem -verify_return_error -brief)
    wait_until timeout 5 sh -c '"$@" < /dev/null' sh "${greeting[@]}" || fail "no mail server: $(tail -n 20 postfix.log)"
    expect 0 "${greeting[@]}" < /dev/null
    printed 'Verification: OK'
}

# Commits of git by Examples/git-cms.sh, with an RSA and a GOST key. OpenSSL verifies the latter by the provider.
@test "git signs and verifies commits and tags, with RSA and GOST" {
    local kind commit changed
    mkdir -p bin tree
    ln -s "$kanal" bin/kanal
    local -x PATH=$work/bin:$PATH
    echo -n $pin > git.pin
    chmod 600 git.pin
    configure "authenticator = file:$work/git.pin"
    expect 0 "$kanal" key generate --kind gost256 --label gost
    expect 0 "$kanal" cert request --key gost --subject CN=gost --output gost.csr
    by_provider expect 0 openssl x509 -req -in gost.csr -CA authority.pem -CAkey authority.key -days 30 -out gost.pem
    cat rsa.pem gost.pem > both.pem
    expect 0 "$kanal" cert import both.pem
    cd tree
    expect 0 git init -q
    git config user.name Kanal
    git config user.email user@kanal.invalid
    git config gpg.format x509
    git config gpg.x509.program "$root/Examples/git-cms.sh"
    git config kanal.authorities "$work/authority.pem"
    for kind in rsa:localhost gost:gost; do
        by_provider expect 0 git -c "user.signingkey=${kind%:*}" commit -q -S --allow-empty -m "signed by ${kind%:*}"
        by_provider expect 0 git verify-commit HEAD
        printed "^Good signature of CN=${kind#*:}\$"
        by_provider expect 0 git log -1 '--format=%G? %GS' HEAD
        printed "^G CN=${kind#*:}\$"
        changed=$(git cat-file commit HEAD | sed 's/^signed by/changed by/' | git hash-object -t commit -w --stdin)
        by_provider expect 1 git verify-commit "$changed"
        by_provider expect 1 git -c "kanal.authorities=$work/other.pem" verify-commit HEAD
    done
    # Certificates, and no signature.
    {
        echo '-----BEGIN SIGNED MESSAGE-----'
        openssl crl2pkcs7 -nocrl -certfile ../rsa.pem -outform der | base64
        echo '-----END SIGNED MESSAGE-----'
    } > ../unsigned
    by_provider expect 1 "$root/Examples/git-cms.sh" --status-fd=1 --verify ../unsigned - < ../rsa.pem
    printed BADSIG
    by_provider expect 0 git -c user.signingkey=rsa tag -s -m release release
    by_provider expect 0 git verify-tag release
    OPENSSL_CONF=/dev/null expect 1 git verify-commit HEAD
    by_provider expect 128 git -c user.signingkey=none commit -q -S --allow-empty -m refused
}
