#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The examples of KanalKit, built as a user's programs are, with a tag of this project as their dependency: an activation,
# tokens that leave and come, secrets of two machines, and signed messages of 4 MiB, at night of 2 GiB, with no more than
# 64 MiB of memory.
# bats file_tags=alone
load ../common

configuration=$(amount debug release)
journeys=$root/.build/journeys/$configuration
size=$(amount 4 2048)
# The greatest message, in MiB, that OpenSSL 3.0 reads, which it does as a whole.
openssl_limit=1500
verify=(cms -verify -cades -binary -inform DER -CAfile root.pem -purpose any)

# With the first program of docs/KanalKit.md, as it is printed.
build_journeys() {
    export KANAL=file://$work/kanal KANAL_VERSION=999.0.0
    git clone -q --bare "$root" kanal
    git -C kanal tag $KANAL_VERSION "$(git -C "$root" rev-parse HEAD)"
    cp -r "$root/Examples/KanalKit" tree
    mkdir -p tree/Sources/first first/Sources/first
    awk -v place=first/block '/^```$/ { file = "" } file { print > file } /^```swift$/ { file = place (++number) }' \
        "$root/docs/KanalKit.md"
    sed "s|file:///src/kanal|$KANAL|; s|0\.1\.0|$KANAL_VERSION|" first/block1 > first/Package.swift
    cp first/block2 first/Sources/first/main.swift
    cp first/block2 tree/Sources/first/main.swift
    swift package --package-path first describe > first/described || fail "the package of docs/KanalKit.md cannot be read"
    sed -i 's|targets: \["watch", |targets: ["first", "watch", |' tree/Package.swift
    swift build -c "$configuration" --disable-index-store --package-path tree --scratch-path "$root/.build/journeys" \
        > built 2>&1 3>&- \
        || fail "$(cat built)"
}

setup_file() {
    prepare
    build_journeys
    openssl_run req -x509 -newkey gost2012_256 -pkeyopt paramset:A -nodes -keyout root.key -out root.pem -days 30 \
        -subj /CN=Root -addext basicConstraints=CA:true
    openssl_run x509 -in root.pem -outform DER -out root
    # Mostly zeros, which take no room on the disk, and some other bytes at both ends.
    head -c 1000 /dev/urandom > content
    truncate -s "$size"M content
    printf 'the end' >> content
    start_pcscd
    attach bt bt
    expect 0 "$journeys/activate" <<< "$password"
    expect 0 pkcs11-tool --module "$module" --slot "$slot" --login --pin $pin --keypairgen \
        --key-type GOSTR3410-2012-256:A --id 01
}

# run PROGRAM ARGUMENT...: its output is in "output".
run() { expect 0 "$journeys/$1" "${@:2}"; }

# begin FILE PROGRAM ARGUMENT...: runs it beside the test, with its output in a file.
begin() {
    # shellcheck disable=SC2094
    launch stdbuf -oL "$journeys/$2" "${@:3}" > "$1" 2>&1
}

# Waits until a program beside the test has printed this.
said() { wait_until grep -q "$1" "$2" || fail "no \"$1\" in: $(cat "$2")"; }

# Puts the activated token into the reader.
present() {
    detach
    attach bt bt
}

@test "a token is activated once, and found, by the first program of the page too" {
    detach
    run find
    printed '^not found: no matching token$'
    attach bt new
    run find
    printed "^looking at $serial$"
    printed '^not found'
    run activate <<< 1BCD-EFGH-JKLM-NPQS
    printed 'not activated: .*tries left: 4'
    run activate <<< "$password"
    printed 'activated: '
    run activate < /dev/null
    printed '^ready: '
    run find
    printed "^found: $serial"
    run first
    printed "$serial"
    detach
}

@test "work goes on after a return with one entry of the PIN, and watchers are told" {
    local watch work_of_the_user
    detach
    begin events watch 3
    watch=$launched
    attach bt bt
    begin certificates certificates $pin 12 < /dev/null
    work_of_the_user=$launched
    said '^certificates: 0' certificates
    kill -USR1 "$token"
    said '^state: waiting for the token' certificates
    kill -USR2 "$token"
    said '^state: completed' certificates
    wait "$work_of_the_user" || fail "$(cat certificates)"
    not_printed failed certificates
    [ "$(grep -c '^certificates: 0' certificates)" = 12 ] || fail "$(cat certificates)"
    wait "$watch" || fail "$(cat events)"
    [ "$(cut -d: -f1 events | tr '\n' ' ')" = 'attached detached attached ' ] || fail "$(cat events)"
}

@test "a wait for a token is cancelled" {
    local cancelled
    present
    mkfifo keys
    exec 9<> keys
    begin cancelled cancel < keys
    cancelled=$launched
    said '^take the token away' cancelled
    detach
    echo >&9
    wait "$cancelled" || fail "$(cat cancelled)"
    exec 9>&-
    printed '^ended: it was cancelled$' cancelled
}

@test "another token in between gets no PIN" {
    present
    begin certificates certificates $pin 15 < /dev/null
    said '^certificates: 0' certificates
    detach
    insert bt other --trace "$work/trace"
    said '^state: wrong token' certificates
    not_printed '^> ..20' trace
    detach
    insert bt bt
    said '^state: completed' certificates
    wait_until sh -c "sed -n '/^state: completed/,\$p' certificates | grep -q '^certificates: 0'" \
        || fail "no work after the return: $(cat certificates)"
    stop "$launched"
}

# on_machine NAME ARGUMENT...: a machine is a home, with its own copy of the replicated directory.
on_machine() {
    mkdir -p "$work/$1"
    # shellcheck disable=SC2088
    expect 0 env HOME="$work/$1" XDG_DATA_HOME="$work/$1/data" "$journeys/secrets" mail '~/replicated' "${@:2}"
}

# Copies newer files, as a synchroniser does.
replicate() { cp -pu "$1"/replicated/* "$2/replicated"; }

@test "secrets of two machines are shared, and deleted on both" {
    on_machine left begin
    on_machine left add server ann <<< "first password"
    on_machine right add server ann <<< none
    printed '^error: this machine has no key of the access group'
    on_machine left key
    cp output key
    on_machine right join < key
    replicate left right
    on_machine right read server ann
    printed '^first password$'
    on_machine left update server ann <<< left
    on_machine right update server ann <<< right
    replicate left right
    replicate right left
    on_machine left read server ann
    cp output value
    on_machine right read server ann
    cmp output value
    on_machine left delete server ann
    on_machine right update server ann <<< later
    replicate right left
    replicate left right
    for machine in left right; do
        on_machine $machine read server ann
        printed '^error: there is no secret of this service and account$'
        on_machine $machine list
        [ ! -s output ] || fail "$(cat output)"
    done
    expect 1 grep -r -e "first password" -e server left right
}

# ---- Messages ----

# messages WORD...: runs the example within its memory.
messages() {
    timeout 1800 "$journeys/messages" "$@" > output 2>&1 3>&- || fail "messages $*: $(cat output)"
    local memory
    memory=$(sed -n 's/^memory: \([0-9]*\) MiB$/\1/p' output)
    [ "$memory" -le 64 ] || fail "messages $*: $memory MiB of memory"
    [[ ! "$1 ${2:-}" =~ ^(sign|verify|compare) || ${2:-} = pieces ]] || printed '^done: 100 %$'
}

openssl_run() { timeout 1800 openssl "$@" > openssl.log 2>&1 3>&- || fail "openssl $*: $(cat openssl.log)"; }

# Reads a message by the example, and compares the content.
same_content() {
    messages verify root message output.kanal
    cmp content output.kanal || fail "another content is read"
    rm output.kanal
}

# signs KIND: a key of the token signs in each form.
signs() {
    detach
    attach usb usb
    messages request $pin "$1" request
    openssl_run x509 -req -in request -inform DER -CA root.pem -CAkey root.key -CAcreateserial -outform DER \
        -out certificate -days 30
    messages import $pin certificate
    messages sign beside $pin content message
    openssl_run "${verify[@]}" -in message -content content -out /dev/null
    messages compare root message content
    for form in inside pieces; do
        messages sign $form $pin content message
        if [ "$size" -le $openssl_limit ]; then
            openssl_run "${verify[@]}" -in message -out output.openssl
            cmp content output.openssl || fail "OpenSSL reads another content"
            rm output.openssl
        fi
        same_content
    done
}

# Has OpenSSL sign with a new key, by options of "cms -sign"; "openssl_key KIND OPTION..." makes the key.
openssl_key() {
    openssl_run req -newkey "$@" -nodes -keyout key -out request -subj /CN=Signer
    openssl_run x509 -req -in request -CA root.pem -CAkey root.key -CAcreateserial -out signer.pem -days 30
}
openssl_signs() { openssl_run cms -sign -cades -binary -in content -signer signer.pem -inkey key -outform DER -out message "$@"; }

# verified OPTION...: messages that OpenSSL signs with these options are verified.
verified() {
    openssl_signs "$@"
    messages compare root message content
    openssl_signs "$@" -nodetach -stream
    same_content
}

@test "messages are signed with GOST, and verified by OpenSSL" { signs gost256; }
@test "messages are signed with P-256, and verified by OpenSSL" { signs p256; }

@test "messages that OpenSSL has signed with GOST are verified" {
    openssl_key gost2012_256 -pkeyopt paramset:A
    verified -md md_gost12_256
}

@test "messages that OpenSSL has signed with P-256 are verified, and a byte in the middle counts" {
    openssl_key ec -pkeyopt ec_paramgen_curve:prime256v1
    verified
    printf x | dd of=content bs=1 seek=$((size * 524288)) conv=notrunc status=none
    openssl_signs
    dd if=/dev/zero of=content bs=1 count=1 seek=$((size * 524288)) conv=notrunc status=none
    expect 1 "$journeys/messages" compare root message content
}
