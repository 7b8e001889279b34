#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The examples of KanalKit, built as a user's programs are, with a tag of this project as their dependency, and run with
# emulated tokens.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. Tests/Scripts/common.sh

export KANAL=file://$work/kanal KANAL_VERSION=999.0.0
git clone -q --bare "$root" "$work/kanal"
git -C "$work/kanal" tag $KANAL_VERSION "$(git rev-parse HEAD)"
cp -r Examples/KanalKit "$work/journeys"
# The first program of the page, as it is printed: its two files.
mkdir -p "$work/first" "$work/journeys/Sources/first"
awk -v place="$work/first/block" '/^```$/ { file = "" } file { print > file } /^```swift$/ { file = place (++number) }' docs/KanalKit.md
cp "$work/first/block2" "$work/journeys/Sources/first/main.swift"
sed "s|file:///src/kanal|$KANAL|; s|0\.1\.0|$KANAL_VERSION|" "$work/first/block1" > "$work/first/Package.swift"
mkdir -p "$work/first/Sources/first"
cp "$work/first/block2" "$work/first/Sources/first/main.swift"
swift package --package-path "$work/first" describe > "$work/first/described" || fail "the package of docs/KanalKit.md cannot be read"
sed -i 's|targets: \["watch", |targets: ["first", "watch", |' "$work/journeys/Package.swift"
swift build --disable-index-store --package-path "$work/journeys" --scratch-path "$root/.build/journeys"
journeys=$root/.build/journeys/debug
passed "the examples are built with a tag as their dependency"

# run PROGRAM ARGUMENT...: its output is in "output".
run() { expect 0 "$journeys/$1" "${@:2}"; }
# Waits until a program in the background has printed this.
said() { wait_until grep -q "$1" "$2" || fail "no \"$1\" in: $(cat "$2")"; }

prepare
start_pcscd

# ---- First activation and later start ----

run find
printed '^not found: no matching token$'
stdbuf -oL "$journeys/watch" 3 > events &
watch=$!
others+=($watch)
attach bt bt
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
passed "a token is activated once, and found, by the first program of the page too"

# ---- A removed token, with one entry of the PIN ----

pkcs11-tool --module "$module" --slot "$slot" --login --pin $pin --keypairgen --key-type GOSTR3410-2012-256:A --id 01 \
    > /dev/null
stdbuf -oL "$journeys/certificates" $pin 12 > certificates 2>&1 &
work_of_the_user=$!
others+=($work_of_the_user)
said '^certificates: 0' certificates
kill -USR1 "$token"
said '^state: waiting for the token' certificates
kill -USR2 "$token"
said '^state: completed' certificates
wait $work_of_the_user || fail "$(cat certificates)"
! grep failed certificates || fail "$(cat certificates)"
[ "$(grep -c '^certificates: 0' certificates)" = 12 ] || fail "$(cat certificates)"
wait $watch
[ "$(cut -d: -f1 events | tr '\n' ' ')" = 'attached detached attached ' ] || fail "$(cat events)"
passed "work goes on after a return, and watchers are told"

# ---- Cancelling ----

mkfifo keys
stdbuf -oL "$journeys/cancel" < keys > cancelled &
cancelled=$!
others+=($cancelled)
exec 9> keys
said '^take the token away' cancelled
detach
echo >&9
wait $cancelled
exec 9>&-
grep -q '^ended: it was cancelled$' cancelled || fail "$(cat cancelled)"
passed "a wait is cancelled"

# ---- Another token in between ----

attach bt bt
stdbuf -oL "$journeys/certificates" $pin 15 > certificates 2>&1 &
work_of_the_user=$!
others+=($work_of_the_user)
said '^certificates: 0' certificates
detach
insert bt other --trace "$work/trace"
said '^state: wrong token' certificates
! grep -q '^> ..20' trace || fail "a PIN was sent to another token: $(cat trace)"
detach
insert bt bt
said '^state: completed' certificates
wait_until sh -c "sed -n '/^state: completed/,\$p' certificates | grep -q '^certificates: 0'" \
    || fail "no work after the return: $(cat certificates)"
stop $work_of_the_user
passed "another token in between gets no PIN"

# ---- Secrets of two machines ----

# on MACHINE ARGUMENT...: a machine is a home, with its own copy of the replicated directory.
on() {
    mkdir -p "$work/$1"
    expect 0 env HOME="$work/$1" XDG_DATA_HOME="$work/$1/data" "$journeys/secrets" mail '~/replicated' "${@:2}"
}
# Copies newer files, as a synchroniser does.
replicate() { cp -pu "$1"/replicated/* "$2/replicated"; }
on left begin
on left add server ann <<< "first password"
on right add server ann <<< none
printed '^error: this machine has no key of the access group'
on left key
cp output key
on right join < key
replicate left right
on right read server ann
printed '^first password$'
on left update server ann <<< left
on right update server ann <<< right
replicate left right
replicate right left
on left read server ann
cp output value
on right read server ann
cmp output value
on left delete server ann
on right update server ann <<< later
replicate right left
replicate left right
for machine in left right; do
    on $machine read server ann
    printed '^error: there is no secret of this service and account$'
    on $machine list
    [ ! -s output ] || fail "$(cat output)"
done
expect 1 grep -r -e "first password" -e server left right
passed "secrets of two machines are shared, and deleted on both"

# ---- Signed messages ----

detach
JOURNEYS=$journeys "$root/Tests/Scripts/KanalKit/messages.sh" 4
echo "examples.sh: passed"
