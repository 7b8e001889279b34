#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# "kanal esia" against a stand-in for the state's identity service, on a token without a channel and on one with it: OpenSSL's
# gost engine verifies both forms of client_secret and signs the tokens that kanal verifies.
# bats file_tags=apart
load ../common
load ../Command/command

setup_file() {
    prepare
    start_pcscd
    make_keys
    start_service
    make_curl
    make_browser
}

# with IDENTITY: the service and the browser behave, and a token of this identity is in the reader.
with() {
    echo good > mode
    rm -f silent
    on "$1" true
    known client
}
# Its keys: "client" of GOST, and "other" of RSA.
furnish() {
    local label kind
    for kind in gost256 rsa2048; do
        label=$([ $kind = gost256 ] && echo client || echo other)
        as_user 0 key generate --kind $kind --label $kind
        as_user 0 cert request --key $kind --subject CN=Client
        cp output request.pem
        issue request.pem client.pem
        as_user 0 cert import client.pem --label $label
    done
}
# The service knows the client by this certificate.
known() {
    kanal_exits 0 cert export "$1"
    cp output client.pem
}

redirect=http://127.0.0.1:8765/back
issue() { expect 0 openssl x509 -req -in "$1" -CA root.pem -CAkey root.key -CAcreateserial -out "$2" -days 30; }
make_keys() {
    expect 0 openssl req -x509 -newkey gost2012_256 -pkeyopt paramset:A -nodes -keyout root.key -out root.pem -days 30 \
        -subj /CN=Root -addext basicConstraints=CA:true
    expect 0 openssl req -x509 -newkey gost2012_256 -pkeyopt paramset:A -nodes -keyout service.key -out service.pem \
        -days 30 -subj /CN=Service
    expect 0 openssl req -x509 -newkey rsa:2048 -nodes -keyout rsa.key -out rsa.pem -days 30 -subj /CN=Service
    expect 0 openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout tls.key -out tls.pem \
        -days 30 -subj /CN=localhost -addext subjectAltName=DNS:localhost
    cat service.pem rsa.pem > services.pem
}

start_service() {
    echo good > mode
    launch env -u OPENSSL_CONF python3 "$root/Tests/System/Asking/identity-service.py" "$work/openssl.cnf" > service.log 2>&1
    wait_until test -s port || fail "the stand-in does not start: $(cat service.log)"
    host=https://localhost:$(cat port)
    export host
}

# A program "curl" that records its input, and then becomes the real one.
make_curl() {
    mkdir bin
    cat > bin/curl << 'END_OF_CURL'
#!/bin/bash
printf '%s\n' "$@" > "${0%/*}/arguments"
tr '\0' '\n' < /proc/$$/environ > "${0%/*}/environment"
ls /proc/$$/fd > "${0%/*}/descriptors"
exec /usr/bin/curl "$@"
END_OF_CURL
    chmod 755 bin/curl
    export PATH=$work/bin:$PATH
}

client=(--client-id TESTSYS --redirect-uri "$redirect" "${user[@]}")
# The address that the user's browser is redirected to.
browse() { /usr/bin/curl --silent --cacert tls.pem --output /dev/null --write-out '%{redirect_url}' "$1"; }

# ask WORD...: signs in; sets $answer and $state.
ask() {
    kanal_exits 0 esia url "${client[@]}" --host "$host" --scope 'openid fullname' "$@" --json
    json 'd["state"] in d["url"] and d["url"].startswith("https://localhost:")'
    state=$(python3 -c 'import json; print(json.load(open("output"))["state"])')
    url=$(python3 -c 'import json; print(json.load(open("output"))["url"])')
    answer=$(browse "$url")
}
# exchange STATUS WORD...: gets the tokens for the last answer.
exchange() {
    kanal_exits "$1" esia exchange "${client[@]}" --host "$host" --scope 'openid fullname' --state "$state" --ca tls.pem \
        "${@:2}" "$answer"
}
# refused MODE REASON WORD...: the stand-in answers in this mode, and the command reports why it does not accept it.
refused() {
    ask --key client
    echo "$1" > mode
    rm -f tokens
    exchange 1 --key client --service-certificate services.pem --output tokens "${@:3}"
    told "$2"
    [ -z "$(ls tokens* 2> /dev/null)" ] || fail "$1: a file is left"
    echo good > mode
}

sign_in() {
    local api
    known "$2"
    for api in v2 v1; do
        ask --api $api "$@"
        [[ $answer = "$redirect?"*code=* ]] || fail "the stand-in refuses: $answer $(cat fault)"
        (umask 0; exchange 0 --api $api --service-certificate service.pem --overwrite --output tokens --json "$@")
        json 'd["subject"] == "1000299654" and d["claims"]["aud"] == "TESTSYS" and d["file"] == "tokens"'
        [ "$(stat -c %a tokens)" = 600 ] || fail "others can read the tokens: $(ls -l tokens)"
        python3 -c 'import json; d = json.load(open("tokens")); assert d["refresh_token"] == "a\"b\\c", d
assert d["access_token"].count(".") == d["id_token"].count(".") == 2 and d["expires_at"] > 1e9'
    done
    not_printed "$pin\|client_secret" bin/arguments
    not_printed "$pin\|client_secret" bin/environment
    ! grep -qv -e ^PATH= -e _proxy= -e '^SSL_CERT' -e ^CURL_CA_BUNDLE= bin/environment \
        || fail "more than the network needs: $(cat bin/environment)"
    # The shell has opened 255.
    ! grep -vx -e '[0-3]' -e 255 bin/descriptors || fail "more descriptors: $(cat bin/descriptors)"
}

answers() {
    ask --key client
    echo "$answer" > answer
    local first=$answer given=$state
    answer=-
    input=answer exchange 0 --key client --service-certificate service.pem
    printed '^signed in: *1000299654$'
    not_printed $'\e'
    input=answer exchange 1 --key client --service-certificate service.pem
    told 'ESIA-007003: code (invalid_request)'
    ask --key client
    local second=$answer
    for answer in "$first" "${second/state=/state=0}" "${second/state=/states=}" "$second&state=$state" \
        "$second&code=x" "${second/\/back/\/other}" "${second/code=/code=%g}" "$state" "${second/code=/code=%ff}"; do
        exchange 1 --key client --service-certificate service.pem
        told 'another request\|not an address of this program'
    done
    answer=$(browse "${url/openid/openie}")
    exchange 1 --key client --service-certificate service.pem
    told 'ESIA-007053: clientSecretWrong (access_denied)'
    echo denied > mode
    ask --key client
    exchange 6 --key client --service-certificate service.pem
    told 'ESIA-007004'
    echo good > mode
}

replies() {
    local part
    for part in 0 1 2; do refused flip$part 'it cannot be read\|its signature is wrong\|for its algorithm'; done
    refused none 'is for its algorithm'
    refused expired 'it has expired'
    refused foreign 'it is for another program'
    refused future 'it is not valid yet'
    refused issuer 'another service has made it'
    refused html 'does not reply with JSON; the status is 200'
    refused redirect 'does not reply with JSON; the status is 302'
    refused long 'is too long\|Maximum file size exceeded'
    refused twice 'does not reply with JSON'
    refused cut 'does not reply with JSON'
    refused state 'its state is not the one'
    refused bearer 'no token of access'
    refused empty 'no token of access'
    refused slow 'timed out' --time-limit 2
    refused good 'cannot be reached: curl: .*certificate' --ca root.pem
    ask --key client
    exchange 1 --key client --service-certificate rsa.pem
    told 'is for its algorithm'
    ask --key client
    exchange 1 --key client --service-certificate root.pem
    told 'its signature is wrong'
    ask --key client
    echo rsa > mode
    exchange 0 --key client --service-certificate services.pem --json
    json 'd["claims"]["client_id"] == "TESTSYS" and "file" not in d'
    echo good > mode
}

# A browser that the desktop has for https: it goes to the address, and to where the service redirects it. Its page is in
# "page". With the file "silent" it does nothing.
make_browser() {
    local applications=$XDG_DATA_HOME/applications
    cat > bin/browser << 'END_OF_BROWSER'
#!/bin/sh
cd "${0%/*}/.." && printf '%s\n' "$1" > opened
[ -e silent ] || exec /usr/bin/curl --silent --cacert tls.pem --location --output page "$1"
END_OF_BROWSER
    chmod 755 bin/browser
    # xdg-utils open nothing without a display, and ask no desktop if none is named.
    export DISPLAY=:0 BROWSER='' XDG_DATA_DIRS=$work/none XDG_CONFIG_DIRS=$work/none
    unset XDG_CURRENT_DESKTOP DESKTOP_SESSION KDE_FULL_SESSION GNOME_DESKTOP_SESSION_ID WAYLAND_DISPLAY
    mkdir -p "$applications" "$XDG_CONFIG_HOME"
    printf '[Desktop Entry]\nType=Application\nName=browser\nExec=%s %%u\nMimeType=x-scheme-handler/https;\n' \
        "$work/bin/browser" > "$applications/browser.desktop"
    update-desktop-database "$applications"
    xdg-mime default browser.desktop x-scheme-handler/https
}

# login STATUS WORD...: the whole sign-in.
login=(esia login --client-id TESTSYS "${user[@]}" --scope 'openid fullname' --ca tls.pem --key client)
login() {
    kanal_exits "$1" "${login[@]}" --host "$host" --service-certificate service.pem "${@:2}"
}

logins() {
    local api port=8766
    for api in v2 v1; do
        rm -f tokens page opened
        login 0 --api $api --output tokens --json
        json 'd["subject"] == "1000299654" and d["file"] == "tokens"'
        printed 'redirect_uri=http%3A%2F%2F127.0.0.1%3A[1-9][0-9]*%2Fauthorization&' opened
        wait_until grep -q 'has reached kanal. You can close this page' page
    done
    login 0 --redirect-uri http://127.0.0.1:$port/back
    login 0 --redirect-uri http://127.0.0.1:$port/back
    printed "redirect_uri=http%3A%2F%2F127.0.0.1%3A$port%2Fback&" opened
}

two_logins() {
    local port=8766
    touch silent
    login 1 --time-limit 2
    told 'no answer came in time'
    rm -f opened
    setsid --wait timeout 60 "$kanal" "${login[@]}" --host "$host" --service-certificate service.pem --json \
        --redirect-uri http://127.0.0.1:$port/back > first 2> first-messages < /dev/null 3>&- &
    local first=$!
    wait_until test -s opened
    cp opened first-opened
    login 1 --redirect-uri http://127.0.0.1:$port/back --time-limit 2
    told "nothing can listen at 127.0.0.1:$port"
    rm silent
    login 0
    grep -q 'code=' <<< "$(browse "$(cat opened)")" || fail "no answer"
    # The answer of the second sign-in goes to the first one's port, and ends nothing.
    [ "$(/usr/bin/curl --silent --output /dev/null --write-out '%{http_code}' \
        "http://127.0.0.1:$port/back?$(browse "$(cat opened)" | sed 's/^[^?]*?//')")" = 400 ] || fail "a foreign answer is taken"
    /usr/bin/curl --silent --cacert tls.pem --location --output page "$(cat first-opened)"
    wait $first || fail "the first sign-in: $(cat first-messages)"
    cp first output
    json 'd["subject"] == "1000299654"'
}

by_hand() {
    local first
    echo denied > mode
    login 6
    told 'ESIA-007004'
    echo good > mode
    login 1 --redirect-uri https://example.org/back
    told 'the redirect address is not http://127.0.0.1/PATH'
    rm "$XDG_CONFIG_HOME/mimeapps.list" "$XDG_DATA_HOME/applications/mimeinfo.cache"
    mv "$XDG_DATA_HOME/applications/browser.desktop" .
    login 8
    told 'with --no-browser'
    setsid --wait timeout 60 "$kanal" "${login[@]}" --host "$host" --service-certificate service.pem --json --no-browser \
        > first 2> first-messages < /dev/null 3>&- &
    first=$!
    wait_until grep -q ^https: first-messages
    /usr/bin/curl --silent --cacert tls.pem --location --output page "$(grep ^https: first-messages)"
    wait $first || fail "an address that is opened by hand: $(cat first-messages)"
    mv browser.desktop "$XDG_DATA_HOME/applications"
    update-desktop-database "$XDG_DATA_HOME/applications"
    xdg-mime default browser.desktop x-scheme-handler/https
}

refusals() {
    local words=(esia url "${client[@]}" --scope openid --key client)
    kanal_exits 2 "${words[@]}" --host http://localhost
    kanal_exits 2 "${words[@]}" --host https://localhost/path
    kanal_exits 2 "${words[@]}" --host https://user@localhost
    kanal_exits 2 "${words[@]}" --path oauth
    kanal_exits 2 "${words[@]}" --api v3
    kanal_exits 2 esia url --scope openid --redirect-uri "$redirect"
    kanal_exits 1 "${words[@]}" --key nobody
    PIN=87654321 kanal_exits 4 "${words[@]}"
    ask --key client
    printf '#!/bin/sh\nPATH=/nowhere exec %s "$@"\n' "$kanal" > alone
    chmod 755 alone
    kanal=$work/alone exchange 1 --key client --service-certificate service.pem
    told 'the program curl is not there'
    host=https://localhost:1 exchange 1 --key client --service-certificate service.pem
    told 'cannot be reached: curl: '
}

@test "usb: a user signs in by a key of GOST: OpenSSL verifies client_secret, kanal the tokens" { with usb; sign_in --key client; }
@test "usb: a user signs in by a key of RSA" { with usb; sign_in --key other; }
@test "usb: one command signs a user in, at a port that is known before the request is signed" { with usb; logins; }
@test "usb: a browser that never answers, and two sign-ins at once, one of them at a port in use" { with usb; two_logins; }
@test "usb: a refusal, a missing browser, and an address that is opened by hand" { with usb; by_hand; }
@test "usb: an answer that is repeated, foreign, changed or a refusal is told and refused" { with usb; answers; }
@test "usb: a reply that is changed, foreign, late, too long or no reply is told and refused" { with usb; replies; }
@test "usb: refusals have their exit statuses" { with usb; refusals; }

@test "bt: a user signs in by a key of GOST: OpenSSL verifies client_secret, kanal the tokens" { with bt; sign_in --key client; }
@test "bt: a user signs in by a key of RSA" { with bt; sign_in --key other; }
@test "bt: one command signs a user in, at a port that is known before the request is signed" { with bt; logins; }
@test "bt: a browser that never answers, and two sign-ins at once, one of them at a port in use" { with bt; two_logins; }
@test "bt: a refusal, a missing browser, and an address that is opened by hand" { with bt; by_hand; }
@test "bt: an answer that is repeated, foreign, changed or a refusal is told and refused" { with bt; answers; }
@test "bt: a reply that is changed, foreign, late, too long or no reply is told and refused" { with bt; replies; }
@test "bt: refusals have their exit statuses" { with bt; refusals; }
