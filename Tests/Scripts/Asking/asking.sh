#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Programs that are given no PIN and no password: the library has the user asked by pinentry, in a terminal of tmux.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. Tests/Scripts/common.sh
. Tests/Scripts/Command/terminal.sh
prepare
start_pcscd

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

tool="pkcs11-tool --module $module"
sign="$tool --login --sign --mechanism GOSTR3410-WITH-GOSTR3411-12-256 --label key --input-file message --output-file signature"
curses='authenticator = pinentry:/usr/bin/pinentry-curses'
echo message > message
echo $pin > pin

openvpn() {
    "$kanal" key generate --kind rsa2048 --label vpn --id 76706e --pin-source file:pin > /dev/null
    openssl req -x509 -newkey rsa:2048 -noenc -keyout authority.key -out authority.pem -subj /CN=Authority \
        -days 30 -addext basicConstraints=critical,CA:true 2> /dev/null
    local issue=(openssl x509 -req -CA authority.pem -CAkey authority.key -days 30)
    "$kanal" cert request --key vpn --pin-source file:pin --subject CN=Client > client.csr
    expect 0 "${issue[@]}" -in client.csr -set_serial 2 -out client.pem
    "$kanal" cert import --pin-source file:pin client.pem > /dev/null
    openssl req -newkey rsa:2048 -noenc -keyout server.key -out server.csr -subj /CN=Server 2> /dev/null
    expect 0 "${issue[@]}" -in server.csr -set_serial 3 -out server.pem
    expect 0 "$(type -P openvpn)" --show-pkcs11-ids "$module"
    local id options="--dev null --proto udp --ca authority.pem"
    id=$(sed -n 's/^ *Serialized id: *//p' output | tail -n 1)
    "$(type -P openvpn)" $options --local 127.0.0.1 --port 35974 --tls-server --dh none --cert server.pem \
        --key server.key > server.log 2>&1 < /dev/null &
    others+=($!)
    begin "$(type -P openvpn) $options --remote 127.0.0.1 35974 --nobind --tls-client --pkcs11-providers $module" \
        "--pkcs11-id '$id' --pkcs11-protected-authentication 1"
    reply 'PIN:' $pin
    wait_until grep -q '\[Client\] Peer Connection Initiated' server.log || fail "OpenVPN: $(cat told server.log)"
    tmux_ send-keys C-c
    wait_until test -s ended
    stop "${others[-1]}"
}

for identity in usb bt; do
    configure "$curses" 'activation = ask'
    insert $identity "state-$identity"
    open_terminal 80
    tmux_ send-keys -l "cd $work" && tmux_ send-keys Enter
    [ $identity = usb ] || {
        # A program without support for activation.
        begin "$tool --login --list-objects"
        reply 'Activation password:' "$password"
        reply 'PIN:' $pin
        ended 0
        passed "bt: pkcs11-tool works with a new token after password and PIN"
    }
    "$kanal" key generate --label key --pin-source file:pin > /dev/null
    "$kanal" key export key --pin-source file:pin --overwrite --output key.pem > /dev/null
    begin "$sign"
    wait_for_screen "$serial"
    screen | grep -q 'pkcs11-tool (process' || fail "the question does not name the program: $(screen)"
    reply 'PIN:' 11111111
    reply 'The PIN is wrong' $pin
    ended 0
    expect 0 openssl dgst -md_gost12_256 -verify key.pem -signature signature message
    passed "$identity: pkcs11-tool signs with a PIN that pinentry-curses has asked for"
    begin "$sign"
    press 'PIN:' Tab Tab Enter
    ended 1
    grep -q CKR_FUNCTION_CANCELED told || fail "a no is told as $(cat told)"
    passed "$identity: a no is CKR_FUNCTION_CANCELED"
    begin "p11tool --provider $module --login --list-privkeys 'pkcs11:serial=$serial'"
    # It logs in again for each object.
    for _ in {1..10}; do
        wait_until sh -c "test -s ended || tmux -L kanal-$$-$terminals capture-pane -p | grep -q PIN:"
        [ ! -s ended ] || break
        reply 'PIN:' $pin
        sleep 0.5
    done
    ended 0
    grep -q 'Label: key' told || fail "p11tool: $(cat told)"
    passed "$identity: p11tool logs in"
    openvpn
    passed "$identity: OpenVPN connects"
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
    grep -q CKR_FUNCTION_CANCELED told || fail "a no is told as $(cat told)"
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
    passed "$identity: consent is asked for, and a no counts, also to a decryption that signs"
    configure "authenticator = file:$work/pin"
    chmod 600 pin
    expect 0 $sign
    chmod 644 pin
    expect 1 $sign
    passed "$identity: a file answers, if others cannot read it"
    close_terminal
    detach
done

# A no to the activation is remembered until the token leaves: by one program that tries again and again.
configure "$curses" 'activation = ask'
rm -rf home/.local
insert bt state-bt
open_terminal 80
tmux_ send-keys -l "cd $work" && tmux_ send-keys Enter
begin "$tool --login --list-objects"
press 'Activation password:' Tab Tab Enter
ended 1
grep -q CKR_FUNCTION_NOT_SUPPORTED told || fail "a no to the activation is told as $(cat told)"
passed "a no to the activation is CKR_FUNCTION_NOT_SUPPORTED"
close_terminal
