#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A paired host of the far machine that sends chains of commands and unknown ones inside
# the channel of "kanal share". Takes the tests of "make build-tests".
set -euo pipefail
cd "$(dirname "$0")/../../.."
home=${HOME:-/root}
. Tests/Scripts/Share/far.sh

# Runs one of the SharedTokenTests on the far machine.
attack() {
    sed -n 's/.*"password":"\([^"]*\)".*/\1/p' share.log > password
    timeout 200 far env HOME="$home" KANAL_TEST_SHARED_READER="Virtual PCD 00 00" KANAL_TEST_PASSWORD="$(cat password)" \
        swift test --package-path "$root" -c release --skip-build --filter "SharedTokenTests/$1" > output 2>&1 \
        || fail "$1: $(grep 'recorded an issue' output || tail -n 20 output)"
    printed 'with 1 test in 1 suite passed'
}
told() { grep -c "\"event\":\"$1\"" share.log || true; }
logins() { grep -c '^> [01]0200' trace || true; }

prepare
make_machines
start_pcscd
start_far_pcscd
insert usb near --trace trace
cat > pinentry << END
#!/bin/sh
echo OK
while read -r line; do
    case \$line in
        CONFIRM) if [ -e "$work/yes" ]; then echo OK; else echo 'ERR 83886194 Not confirmed'; fi ;;
        BYE) echo OK; exit ;;
        *) echo OK ;;
    esac
done
END
chmod 700 pinentry
configure "authenticator = pinentry:$work/pinentry"

start_share --confirm login
before=$(logins)
attack refused
[ "$(told declined)" = 12 ] || fail "$(told declined) questions instead of 12: $(cat share.log)"
# Further ones are counted, not reported one by one.
[ "$(told refused)" -ge 8 ] || fail "$(told refused) unknown commands were told of: $(cat share.log)"
[ "$(logins)" = "$before" ] || fail "a login reached the token: $(cat trace)"
! grep -Eq '^> (8020|80 ?2a|8059|0088|80c0|002c)' trace || fail "an unknown command reached the token"
passed "--confirm login: twelve chained logins are asked for, unknown commands refused, and none reaches the token"

stop_share
touch yes
start_share --confirm login --once --new-password
attack counted
[ "$(logins)" -gt "$before" ] || fail "the login that was agreed to did not reach the token"
wait_until sh -c "! kill -0 $share" || fail "--once: the share goes on after a login in a chain: $(cat share.log)"
wait "$share" || fail "--once: the share failed: $(cat share.errors)"
share=
passed "--once: a login in a chain ends the share"
echo "share-attack.sh: passed"
