#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Programs that are given no PIN and no password: the library has the user asked by pinentry, in a terminal of tmux.
# bats file_tags=apart
load ../common
load ../Command/command
load ../Command/terminal

setup_file() {
    prepare
    start_pcscd
    echo message > message
    echo $pin > pin
}

teardown() { unconfigure; }

tool="pkcs11-tool --module $module"
sign="$tool --login --sign --mechanism GOSTR3410-WITH-GOSTR3411-12-256 --label key --input-file message --output-file signature"
curses='authenticator = pinentry:/usr/bin/pinentry-curses'

# with IDENTITY: a token of this identity is in the reader, and a terminal is open.
with() {
    on "$1" true
    as_user 0 key export key --overwrite --output key.pem
    configure "$curses" 'activation = ask'
    open_terminal 80
}
furnish() {
    as_user 0 key generate --label key
    as_user 0 key generate --kind rsa2048 --label vpn --id 76706e
}

# A new token, not yet activated, and a terminal.
with_new_token() {
    detach
    identity=
    keep identity
    configure "$curses" 'activation = ask'
    rm -rf state home/.local bt.ready
    insert bt state
    open_terminal 80
}

# Waits for a question, and presses keys. Keys before pinentry has drawn its window are lost.
press() {
    wait_for_screen "$1"
    sleep 0.5
    tmux_ send-keys "${@:2}"
}

# Types a line that is not a command, as the answer to a question on the screen.
reply() {
    wait_for_screen "$1"
    sleep 0.5
    type_line "$2"
}

# Runs a command in a terminal, without waiting; its end is in the file "ended".
begin() {
    rm -f ended
    tmux_ send-keys C-l
    type_line "$* > told 2>&1; echo \$? > ended"
}

# Waits for the end of the command, and compares its exit status.
ended() {
    wait_until test -s ended || fail "the command has not ended: $(screen)"
    [ "$(cat ended)" = "$1" ] || fail "exit status $(cat ended) instead of $1: $(cat told)"
}

@test "pkcs11-tool works with a new token after password and PIN" {
    with_new_token
    # A program without support for activation.
    begin "$tool --login --list-objects"
    reply 'Activation password:' "$password"
    reply 'PIN:' $pin
    ended 0
}

# A no is remembered until the token leaves: by one program that tries again and again.
@test "a no to the activation is CKR_FUNCTION_NOT_SUPPORTED" {
    with_new_token
    begin "$tool --login --list-objects"
    press 'Activation password:' Tab Tab Enter
    ended 1
    printed CKR_FUNCTION_NOT_SUPPORTED told
}

signs() {
    begin "$sign"
    wait_for_screen "$serial"
    screen | grep -q 'pkcs11-tool (process' || fail "the question does not name the program: $(screen)"
    reply 'PIN:' 11111111
    reply 'The PIN is wrong' $pin
    ended 0
    expect 0 openssl dgst -md_gost12_256 -verify key.pem -signature signature message
}

cancelled() {
    begin "$sign"
    press 'PIN:' Tab Tab Enter
    ended 1
    printed CKR_FUNCTION_CANCELED told
}

p11tool_() {
    begin "p11tool --provider $module --login --list-privkeys 'pkcs11:serial=$serial'"
    # It logs in again for each object.
    for _ in {1..10}; do
        for _ in {1..100}; do
            [ ! -s ended ] && ! screen | grep -q PIN: || break
            sleep 0.2
        done
        [ ! -s ended ] || break
        reply 'PIN:' $pin
        sleep 0.5
    done
    ended 0
    printed 'Label: key' told
}

openvpn() {
    openssl req -x509 -newkey rsa:2048 -noenc -keyout authority.key -out authority.pem -subj /CN=Authority \
        -days 30 -addext basicConstraints=critical,CA:true 2> /dev/null
    local issue=(openssl x509 -req -CA authority.pem -CAkey authority.key -days 30)
    "$kanal" cert request --key vpn "${user[@]}" --subject CN=Client > client.csr
    expect 0 "${issue[@]}" -in client.csr -set_serial 2 -out client.pem
    "$kanal" cert import "${user[@]}" client.pem > /dev/null
    openssl req -newkey rsa:2048 -noenc -keyout server.key -out server.csr -subj /CN=Server 2> /dev/null
    expect 0 "${issue[@]}" -in server.csr -set_serial 3 -out server.pem
    expect 0 "$(type -P openvpn)" --show-pkcs11-ids "$module"
    local id options="--dev null --proto udp --ca authority.pem"
    id=$(sed -n 's/^ *Serialized id: *//p' output | tail -n 1)
    launch "$(type -P openvpn)" $options --local 127.0.0.1 --port 35974 --tls-server --dh none --cert server.pem \
        --key server.key > server.log 2>&1 < /dev/null
    begin "$(type -P openvpn) $options --remote 127.0.0.1 35974 --nobind --tls-client --pkcs11-providers $module" \
        "--pkcs11-id '$id' --pkcs11-protected-authentication 1"
    reply 'PIN:' $pin
    wait_until grep -q '\[Client\] Peer Connection Initiated' server.log || fail "OpenVPN: $(cat told server.log)"
    tmux_ send-keys C-c
    wait_until test -s ended
    stop $launched
}

consent() {
    configure "$curses" 'consent = always'
    begin "$sign"
    reply 'PIN:' $pin
    press 'Data to sign' Enter
    ended 0
    begin "$sign"
    reply 'PIN:' $pin
    press 'Data to sign' Tab Enter
    # It tries once more, by parts.
    press 'Data to sign' Tab Enter
    ended 1
    printed CKR_FUNCTION_CANCELED told
    # A signature by another name: its padded block is "decrypted".
    python3 - > block << 'END'
import hashlib, sys
digest = bytes.fromhex("3031300d060960864801650304020105000420") + hashlib.sha256(open("message", "rb").read()).digest()
sys.stdout.buffer.write(b"\x00\x01" + b"\xff" * (253 - len(digest)) + b"\x00" + digest)
END
    begin "$tool --login --decrypt --mechanism RSA-X-509 --id 76706e --input-file block --output-file stolen"
    reply 'PIN:' $pin
    press 'the result can be a signature' Tab Enter
    # By parts, too.
    press 'the result can be a signature' Tab Enter
    ended 1
    [ ! -s stolen ] || fail "a signature was made without a yes"
}

file() {
    configure "authenticator = file:$work/pin"
    chmod 600 pin
    expect 0 $sign
    chmod 644 pin
    expect 1 $sign
}

@test "usb: pkcs11-tool signs with a PIN that pinentry-curses has asked for" { with usb; signs; }
@test "usb: a no is CKR_FUNCTION_CANCELED" { with usb; cancelled; }
@test "usb: p11tool logs in" { with usb; p11tool_; }
@test "usb: OpenVPN connects" { with usb; openvpn; }
@test "usb: consent is asked for, and a no counts, also to a decryption that signs" { with usb; consent; }
@test "usb: a file answers, if others cannot read it" { with usb; file; }

@test "bt: pkcs11-tool signs with a PIN that pinentry-curses has asked for" { with bt; signs; }
@test "bt: a no is CKR_FUNCTION_CANCELED" { with bt; cancelled; }
@test "bt: p11tool logs in" { with bt; p11tool_; }
@test "bt: OpenVPN connects" { with bt; openvpn; }
@test "bt: consent is asked for, and a no counts, also to a decryption that signs" { with bt; consent; }
@test "bt: a file answers, if others cannot read it" { with bt; file; }
