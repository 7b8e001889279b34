#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Authorisation by another application: a stand-in for it, installed by real desktop files and found by xdg-utils, returns every
# outcome of the three requests, over addresses of a scheme and over the loopback; answers that are foreign, repeated, late, too
# long or malformed are refused, and requests wait on.
# bats file_tags=command
load ../common
load ../Command/command

applications=$work/home/.local/share/applications
own='own-scheme:/authorization'
# The answer comes by a scheme; without, over the loopback.
way=(--answer-scheme own-scheme)

setup_file() {
    prepare
    export XDG_RUNTIME_DIR=$work/run
    export XDG_DATA_DIRS=$work/none XDG_CONFIG_DIRS=$work/none
    # xdg-utils open nothing without a display, and ask no desktop if none is named.
    export DISPLAY=:0 BROWSER=
    unset XDG_CURRENT_DESKTOP DESKTOP_SESSION KDE_FULL_SESSION GNOME_DESKTOP_SESSION_ID WAYLAND_DISPLAY
    mkdir -p "$XDG_DATA_HOME/applications" "$XDG_CONFIG_HOME" "$work/bin"
    mkdir -m 700 "$XDG_RUNTIME_DIR"
    export PATH=$work/bin:$PATH
    # The other application: its answer is in the file "answer", with STATE for the state of the request. It keeps the
    # request in "request", and the receipt of the answer in "receipt".
    cat > bin/stand-in << 'END'
#!/usr/bin/python3
import os, subprocess, sys, urllib.parse
request = sys.argv[1]
work = os.path.dirname(os.path.dirname(sys.argv[0]))
with open(work + "/descriptors", "w") as file:
    for number in sorted(os.listdir("/proc/self/fd")):
        path = "/proc/self/fd/" + number
        if os.path.lexists(path): print(number, os.readlink(path), file=file)
with open(work + "/request.new", "w") as file: file.write(request)
os.rename(work + "/request.new", work + "/request")
parameters = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(request).query, strict_parsing=True))
callback = parameters.get("callback") or parameters["redirect_uri"]
state = parameters["state"]
if "location" in parameters:
    location = parameters["location"]
    state = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(location).query, strict_parsing=True))["state"]
    assert state == parameters["state"], "two states"
with open(work + "/answer") as file: answer = file.read().strip()
if not answer: sys.exit(0)
address = callback + "?" + answer.replace("STATE", urllib.parse.quote(state, safe=""))
if callback.startswith("http:"):
    command = ["curl", "-s", "-o", work + "/receipt", "--max-time", "20", address]
else:
    command = ["xdg-open", address]
sys.exit(subprocess.run(command).returncode)
END
    # The program of the application's own desktop file.
    cat > bin/own-scheme << 'END'
#!/bin/sh
exec "$KANAL" callback "$@" > "$(dirname "$0")/../receipt" 2>&1
END
    chmod 755 bin/*
    export KANAL=$kanal
    install_application own own-scheme "$work/bin/own-scheme"
    install_application stand-in stand-in "$work/bin/stand-in"
    install_application browser https "$work/bin/stand-in"
}

# install NAME SCHEME COMMAND: an application that the desktop has for a scheme.
install_application() {
    printf '[Desktop Entry]\nType=Application\nName=%s\nNoDisplay=true\nExec=%s %%u\nMimeType=x-scheme-handler/%s;\n' \
        "$1" "$3" "$2" > "$applications/$1.desktop"
    desktop-file-validate "$applications/$1.desktop"
    update-desktop-database "$applications"
    xdg-mime default "$1.desktop" "x-scheme-handler/$2"
}

location='https://identity.example/authorize?client_id=EXAMPLE&state=0f8fad5b-d9cb-469f-a165-70867728950e'
# Each request has a state of its own.
new_location() { location="${location%=*}=$(cat /proc/sys/kernel/random/uuid)"; }

options=(--application stand-in --title 'A <title> & more' --system EXAMPLE --time-limit 60)
# outcome STATUS REQUEST ANSWER: makes a request, to which the stand-in returns this answer. Over the scheme or the
# loopback, by the variable "way".
outcome() {
    local wanted=$1 request=$2 argument
    echo "$3" > answer
    rm -f receipt request
    new_location
    [ "$request" = biometrics ] && argument=(--session 7f3a) || argument=("$location")
    expect "$wanted" "$kanal" authorize "$request" "${options[@]}" "${way[@]}" "${argument[@]}"
}

# Begins a request that is not answered by itself; its state is in "state", its output in "waiting".
begin() {
    rm -f request
    echo '' > answer
    new_location
    launch "$kanal" authorize session "${options[@]}" "$@" "$location" > waiting 2>&1
    waiting=$launched
    wait_until test -s request
    state=${location##*=}
}
letters() { head -c "$1" /dev/zero | tr '\0' a; }
# refused REASON ADDRESS: the answer is refused, for this reason, and the request waits on.
refused() {
    expect 1 "$kanal" callback "$2"
    printed "the answer is refused: .*$1"
    kill -0 $waiting || fail "the request has ended: $(cat waiting)"
}

every_answer() {
    local request asked
    for request in session extended; do
        outcome 0 $request 'code=c%2Bd%20e&state=STATE'
        printed '^code: c+d e$'
        printed "^state: ${location##*=}$"
        asked="^stand-in://$request?location=https%3A%2F%2Fidentity.example%2F.*&callback=.*&state=.*"
        printed "$asked&title=A%20%3Ctitle%3E%20%26%20more&system=EXAMPLE$" request
        outcome 6 $request 'error=access_denied&state=STATE'
        outcome 1 $request 'error=server_error&error_description=x&state=STATE'
        printed 'server_error'
        outcome 9 $request 'error=not_configured&state=STATE'
        printed 'not set up'
    done
    outcome 0 biometrics 'verify_token=v%2Ft&expiry=1900000000&state=STATE'
    printed '^verify token: v/t$'
    printed '^valid until: 2030-03-17T17:46:40Z$'
    printed '^stand-in://biometrics?session=7f3a&callback=' request
    outcome 6 biometrics 'error=access_denied&state=STATE'
    outcome 1 biometrics 'error=identification_failed&state=STATE'
    printed 'not recognised'
    outcome 1 biometrics 'error=unknown&state=STATE'
    printed 'failed: unknown'
    outcome 9 biometrics 'error=not_configured&state=STATE'
}
@test "every answer of the other application is told apart, over a scheme" { every_answer; }
@test "every answer of the other application is told apart, over the loopback" {
    way=()
    every_answer
}

no_answer() {
    local request options=("${options[@]}" --time-limit 1)
    for request in session extended biometrics; do
        outcome 1 $request ''
        printed 'no answer came in time'
    done
}
@test "a request that is never answered ends in time, over a scheme" { no_answer; }
@test "a request that is never answered ends in time, over the loopback" {
    way=()
    no_answer
}

@test "JSON is by the schema" {
    outcome 0 session 'code=1&state=STATE'
    new_location
    expect 0 "$kanal" authorize session "${options[@]}" "${way[@]}" --json "$location"
    json
    outcome 0 biometrics 'verify_token=1&expiry=1900000000&state=STATE'
    expect 0 "$kanal" authorize biometrics --session 7f3a "${options[@]}" "${way[@]}" --json
    json
}

@test "the scheme's desktop file is installed, checked and removed, and takes no other application's place" {
    local scheme handler
    handler=("$kanal" authorize handler)
    expect 9 "${handler[@]}" --check installed
    printed 'no application for installed:'
    expect 0 "${handler[@]}" installed --json
    json
    desktop-file-validate "$applications/kanal-installed.desktop"
    expect 0 "${handler[@]}" --check installed
    echo 'code=1&state=STATE' > answer
    new_location
    expect 0 "$kanal" authorize session "${options[@]}" --answer-scheme installed "$location"
    printed '^code: 1$'
    expect 1 "${handler[@]}" own-scheme
    printed 'the desktop opens own-scheme: by own.desktop'
    [ ! -e "$applications/kanal-own-scheme.desktop" ] || fail "the scheme of another application is taken"
    for scheme in https file 'a b' A '' ../x; do expect 2 "${handler[@]}" -- "$scheme"; done
    expect 0 "${handler[@]}" --remove installed
    expect 9 "${handler[@]}" --check installed
    [ ! -e "$applications/kanal-installed.desktop" ] || fail "the desktop file is left"
    expect 1 env PATH=/nonexistent "${handler[@]}" installed
}

browser() {
    echo "$2" > answer
    rm -f receipt
    new_location
    expect "$1" "$kanal" authorize session --system EXAMPLE --time-limit 60 "$location&redirect_uri={callback}"
}
@test "a browser gets the location, and is told that it is done" {
    browser 0 'code=1&state=STATE'
    wait_until test -s receipt
    printed 'The answer has reached kanal. You can close this page.' receipt
    browser 6 'error=access_denied&state=STATE'
    expect 9 "$kanal" authorize biometrics --session 7f3a --system EXAMPLE
}

@test "an application that is missing or cannot run, and what is not configured, are told apart" {
    local request argument
    for request in session extended biometrics; do
        argument=()
        [ $request = biometrics ] && argument=(--session 7f3a) || argument=("$location")
        expect 8 "$kanal" authorize $request --application nobody --system EXAMPLE "${argument[@]}"
        printed 'not installed'
        expect 8 "$kanal" authorize $request --application nobody --system EXAMPLE "${argument[@]}" \
            --installation-page https://example.org/get
        printed 'install it from https://example.org/get'
        expect 9 "$kanal" authorize $request --application stand-in --answer-scheme nobody --system EXAMPLE "${argument[@]}"
        printed 'no application for nobody:'
        expect 9 env -u XDG_RUNTIME_DIR "$kanal" authorize $request --application stand-in --answer-scheme own-scheme \
            --system EXAMPLE "${argument[@]}"
        printed 'XDG_RUNTIME_DIR is not set'
    done
    install_application broken broken "$work/bin/missing"
    expect 8 "$kanal" authorize biometrics --session 7f3a --application broken --system EXAMPLE
    expect 9 env PATH=/nonexistent "$kanal" authorize biometrics --session 7f3a --application stand-in --system EXAMPLE
    printed 'install xdg-utils'
}

@test "xdg-utils that hang are ended" {
    mkdir hanging
    printf '#!/bin/sh\necho $$ > "%s/process"\nexec sleep 1000\n' "$work" > hanging/xdg-mime
    chmod 755 hanging/xdg-mime
    expect 1 env PATH="$work/hanging:$PATH" "$kanal" authorize biometrics --session 7f3a --application stand-in --system EXAMPLE
    printed 'xdg-mime does not end'
    ! kill -0 "$(cat process)" 2> /dev/null || fail "a program that hangs is not ended"
}

@test "the other application gets no descriptor, whatever the process does with children and descriptors" {
    local biometrics
    echo 'verify_token=1&expiry=1900000000&state=STATE' > answer
    biometrics=("$kanal" authorize biometrics --session 7f3a "${options[@]}" "${way[@]}")
    # The end of a child goes unnoticed, standard input is closed, and other descriptors are open.
    expect 0 bash -c 'trap "" CHLD; exec "$@" 0<&- 5< /etc/passwd 300< /etc/passwd' - "${biometrics[@]}"
    wait_until test -s descriptors
    # The program's own file of descriptors, and nothing of ours.
    [ "$(grep -v -e /descriptors -e "$work/bin" descriptors | tr '\n' ' ')" = '0 /dev/null 1 /dev/null 2 /dev/null ' ] \
        || fail "other descriptors: $(cat descriptors)"
}

@test "the installation page is opened" {
    echo '' > answer
    expect 9 "$kanal" authorize install --application nobody --system EXAMPLE
    rm -f request
    expect 0 "$kanal" authorize install --application nobody --system EXAMPLE \
        --installation-page 'https://page.example/?state=1&redirect_uri=x'
    wait_until test -s request
    [ "$(cat request)" = 'https://page.example/?state=1&redirect_uri=x' ] || fail "another page: $(cat request)"
}

@test "foreign, over-long and malformed answers are refused, and the request waits on for the right one" {
    expect 1 "$kanal" callback "$own?code=1&state=1"
    printed 'no request waits for it'
    begin "${way[@]}"
    [ "$(stat -c %a "$XDG_RUNTIME_DIR/kanal")" = 700 ] || fail "others may enter the directory of sockets"
    refused 'has this state' "$own?code=1&state=${state%?}x"
    refused 'has this state' "$own?error=access_denied&state=$(cat /proc/sys/kernel/random/uuid)"
    refused 'longer than 8192' "$own?state=$state&code=$(letters 9000)"
    refused 'has no state' "$own?code=1"
    refused 'neither code nor error' "$own?state=$state"
    refused 'neither code nor error' "$own?state=$state&code="
    refused 'both a result and an error' "$own?state=$state&code=1&error=1"
    refused 'is repeated' "$own?state=$state&state=$state&code=1"
    refused 'is repeated' "$own?state=$state&code=1&code=2"
    refused 'encoded' "$own?state=$state&code=%4"
    refused 'encoded' "$own?state=$state&code=%zz"
    refused 'encoded' "$own?state=$state&code=%00"
    refused 'encoded' "$own?state=$state&code=%ff"
    refused 'encoded' "$own?state=$state&code"
    refused 'fragment' "$own#state=$state&code=1"
    refused 'another address' "own-scheme:/elsewhere?state=$state&code=1"
    refused 'not an address' "own-scheme:/authorization?state=$state&code=1 2"
    refused 'no request waits' "http://127.0.0.1:1/authorization?state=$state&code=1"
    refused 'not an address' "$state"
    [ "$(grep -c '^kanal: an answer of another application is refused' waiting)" = 15 ] || fail "$(cat waiting)"
    not_printed "$state" waiting
    expect 0 "$kanal" callback --json "OWN-scheme:///authorization?code=1&state=$state"
    json
    wait $waiting || fail "$(cat waiting)"
    printed '^code: 1$' waiting
    expect 1 "$kanal" callback "$own?code=1&state=$state"
    printed 'no request waits for it'
}

@test "Ctrl-C ends a request, and what a killed program leaves is cleared away" {
    local status
    begin "${way[@]}"
    kill -INT $waiting
    status=0
    wait $waiting || status=$?
    [ $status = 6 ] || fail "exit status $status: $(cat waiting)"
    [ -z "$(ls "$XDG_RUNTIME_DIR/kanal")" ] || fail "a socket is left behind: $(ls "$XDG_RUNTIME_DIR/kanal")"
    begin "${way[@]}"
    { kill -KILL $waiting; wait $waiting; } 2> /dev/null || true
    expect 1 "$kanal" callback "$own?code=1&state=$state"
    printed 'no request waits for it'
    [ -z "$(ls "$XDG_RUNTIME_DIR/kanal")" ] || fail "a socket is left behind: $(ls "$XDG_RUNTIME_DIR/kanal")"
}

@test "of two programs that wait, each gets its own answer" {
    local first first_state
    begin "${way[@]}"
    first=$waiting first_state=$state
    mv waiting first
    begin "${way[@]}"
    expect 0 "$kanal" callback "$own?code=of-first&state=$first_state"
    wait $first || fail "$(cat first)"
    printed '^code: of-first$' first
    refused 'has this state' "$own?code=1&state=$first_state"
    expect 0 "$kanal" callback "$own?code=1&state=$state"
    wait $waiting || fail "$(cat waiting)"
}

@test "a directory that others may enter is not used" {
    local state=1
    mkdir -p "$XDG_RUNTIME_DIR/kanal"
    chmod 755 "$XDG_RUNTIME_DIR/kanal"
    expect 1 "$kanal" callback "$own?code=1&state=$state"
    printed 'cannot be used'
    expect 9 "$kanal" authorize session "${options[@]}" "${way[@]}" "$location"
    chmod 700 "$XDG_RUNTIME_DIR/kanal"
    expect 1 env -u XDG_RUNTIME_DIR "$kanal" callback "$own?code=1&state=$state"
    printed 'XDG_RUNTIME_DIR is not set'
}

# page STATUS ARGUMENT...: fetches a page with curl.
page() {
    local status
    status=$(curl -s -o page -w '%{http_code}' --max-time 20 "${@:2}")
    [ "$status" = "$1" ] || fail "status $status instead of $1: $(cat page)"
    kill -0 $waiting || fail "the request has ended: $(cat waiting)"
}

@test "garbage and refused answers at the loopback end nothing, and the right answer counts" {
    local callback port address
    begin
    callback=$(sed 's/.*callback=\([^&]*\).*/\1/; s/%3A/:/g; s/%2F/\//g' request)
    port=${callback#http://127.0.0.1:}
    port=${port%/*}
    # Clients that send nothing or half a request never block others.
    exec 7<> "/dev/tcp/127.0.0.1/$port" 8<> "/dev/tcp/127.0.0.1/$port"
    printf 'GET /authori' >&8
    for _ in {1..40}; do head -c 3000 /dev/urandom > "/dev/tcp/127.0.0.1/$port" || true; done
    page 404 "http://127.0.0.1:$port/favicon.ico"
    page 405 -d code=1 "$callback?code=1&state=$state"
    page 405 -I "$callback?code=1&state=$state"
    page 400 "$callback?code=1&state=${state%?}x"
    printed 'no request that waits has this state' page
    page 400 "$callback?code=1&state=$state&state=$state"
    page 400 "$callback?code=1&code=%&state=$state"
    page 414 "$callback?state=$state&code=$(letters 9000)"
    page 414 "$callback?state=$state&code=$(letters 12000)"
    page 431 -H "X: $(letters 20000)" "$callback?code=1&state=$state"
    for address in '[::1]' 127.0.0.2 $(hostname -I); do
        ! curl -s --max-time 5 "http://$address:$port/" || fail "it listens at $address"
    done
    expect 0 curl -s --max-time 20 "$callback?code=1&state=$state"
    printed 'has reached A &lt;title> &amp; more\. You can close'
    wait $waiting || fail "$(cat waiting)"
    exec 7>&- 8>&-
}
