#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# secrets.sh: "kanal secrets" on two machines, each a home directory with its copy of the replicated one: names, values,
# patterns, the key's way, values that come late; files that have come in part, directories that others can write, and
# wrong settings. "kanal pairings key" and "join": a token that one machine has activated works on the other.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. Tests/Scripts/common.sh
prepare
umask 022

unset XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME
first=$work/first second=$work/second
mkdir -m 700 "$first" "$second"
# at MACHINE WORD..., on MACHINE WORD...: the command, and "kanal secrets", as a machine's user runs them.
cat > at << 'END'
#!/bin/sh
HOME=$1 LC_ALL=C.UTF-8
export HOME LC_ALL
shift
exec "$KANAL" "$@"
END
cat > on << 'END'
#!/bin/sh
machine=$1
shift
exec ./at "$machine" secrets "$@"
END
chmod 755 at on
export KANAL=$kanal
schema() {
    python3 -c 'import json, jsonschema, sys
jsonschema.Draft202012Validator(json.load(open(sys.argv[1]))).validate(json.load(open("output")))' \
        "$root/docs/kanal.schema.json" || fail "not by the schema: $(cat output)"
}
configure() {
    mkdir -p "$1/.config/kanal"
    printf '%s\n' "${@:2}" > "$1/.config/kanal/kanal.conf"
}

# ---- One machine ----

export VALUE='a  b"c\d é'
expect 0 ./on "$first" set mail.example ann --secret-source env:VALUE
printed 'was added'
[ "$(./on "$first" get mail.example ann)" = "$VALUE" ] || fail "another value"
VALUE=new expect 0 ./on "$first" set mail.example ann --secret-source env:VALUE --json
schema
grep -q '"changed"' output || fail "not changed: $(cat output)"
expect 0 ./on "$first" get mail.example ann --output file
expect 1 ./on "$first" get mail.example ann --output file
printed '^kanal: file is there already: --overwrite replaces it$'
expect 0 ./on "$first" get mail.example ann --overwrite --output file
[ "$(cat file)" = new ] && [ "$(stat -c %a file)" = 600 ] || fail "another file"
for name in MAIL.other web; do expect 0 ./on "$first" set $name --secret-source env:VALUE; done
expect 0 ./on "$first" list 'mail.*' --json
schema
[ "$(grep -c '"service"' output)" = 2 ] || fail "other secrets: $(cat output)"
expect 0 ./on "$first" list '*' 'a??'
printed '^mail.example *ann$'
! grep -q web output || fail "a pattern counts for nothing: $(cat output)"
expect 0 ./on "$first" --group other
printed 'no such secrets'
expect 1 ./on "$first" get mail.example bob
printed 'there is no secret of this service and account'
expect 0 ./on "$first" delete web --yes --json
schema
expect 1 ./on "$first" get web
expect 1 ./on "$first" delete web --yes
expect 2 ./on "$first" key
printed 'secrets of this machine alone are not shared'
expect 2 ./on "$first" list --group a/b
expect 2 ./on "$first" set nowhere --synchronised --secret-source env:VALUE
printed 'no directory is named for secrets that are synchronised: give --directory, or set secrets in kanal.conf'
expect 1 ./on "$first" get nowhere
! grep -rqa -e new -e mail.example "$first" || fail "a secret or a name is readable"
passed "secrets are set, read, found by patterns and deleted"

# ---- Two machines ----

for machine in "$first" "$second"; do configure "$machine" 'secrets = ~/Sync'; done
expect 1 ./on "$first" list
printed 'has no key of the access group'
expect 0 ./on "$first" key --make --json
schema
key=$(./on "$first" key)
expect 0 ./on "$first" key --make
printed "^$key$"
expect 1 ./on "$second" set a --secret-source env:VALUE
printed 'has no key of the access group'
wrong=B${key#?}
[ "$wrong" != "$key" ] || wrong=C${key#?}
for bad in "$wrong" "${key%?}" '' "$(./on "$first" key --make --group other)"; do
    expect 1 ./on "$second" join --key-source - <<< "$bad"
    [ -z "$bad" ] || printed 'not a key of the access group: give the whole line that "kanal secrets key" shows'
done
expect 0 ./on "$second" join --key-source - --json <<< "${key,,}"
schema
expect 0 ./on "$first" set late ann --secret-source env:VALUE
name=$(ls "$first/Sync")
./on "$second" get late ann --wait 60 > waited &
waiting=$!

# A name of this machine, and of all.
expect 0 ./on "$first" set mail.example ann --synchronised --secret-source env:VALUE
printed 'was added'
[ "$(./on "$first" get mail.example ann)" = "$VALUE" ] || fail "not the secret of all machines"
[ "$(./on "$first" get mail.example ann --local)" = new ] || fail "not the secret of this machine"
expect 0 ./on "$first" list mail.example
printed '^mail.example *ann *all machines$'
printed '^mail.example *ann *this machine$'
expect 0 ./on "$first" list --json
schema
expect 0 ./on "$first" list --synchronised
! grep -q 'this machine' output || fail "secrets of this machine beside others: $(cat output)"
expect 0 ./on "$first" delete mail.example ann --synchronised --yes
[ "$(./on "$first" get mail.example ann --local)" = new ] || fail "the other secret of the name is gone"

# A file that comes in part.
head -c 100 "$first/Sync/$name" > "$second/Sync/$name"
expect 0 ./on "$second" set own --secret-source env:VALUE
expect 1 ./on "$second" get late ann
printed 'damaged\|no secret of this'
[ "$(./on "$second" get own)" = "$VALUE" ] || fail "a torn file affects another secret"
expect 0 ./on "$second" files --json
schema
grep -q "$name" output || fail "the torn file is not named: $(cat output)"
kill -0 $waiting || fail "the wait has ended"
cp "$first/Sync/$name" "$second/Sync/$name"
wait $waiting || fail "the value was not waited for"
[ "$(cat waited)" = "$VALUE" ] || fail "another value: $(cat waited)"
expect 0 ./on "$second" files
printed 'All files can be read'
expect 1 ./on "$second" get never --wait 1
printed 'there is no secret'
passed "a group's key is carried, a value that comes late is waited for, a torn file affects its own secret alone"

# ---- Places that are refused ----

for mode in 770 777 750 701; do
    chmod $mode "$second/Sync"
    for words in list 'get own' 'set own --secret-source env:VALUE' 'delete own --yes'; do
        # shellcheck disable=SC2086
        expect 1 ./on "$second" $words
        printed 'group or others have access'
    done
done
chmod 700 "$second/Sync"
mv "$second/Sync" "$second/gone"
expect 1 ./on "$second" list
printed 'is gone'
[ ! -e "$second/Sync" ] || fail "the directory is made again"
mv "$second/gone" "$second/Sync"
for wrong in 'secrets = Sync' 'secrets = ~other/Sync' 'secret = /a'; do
    configure "$first" "$wrong"
    expect 1 ./on "$first" list
    printed 'kanal.conf has an error'
done
expect 0 ./on "$first" list --local
printed 'mail.example'
expect 0 ./on "$first" list --directory '~/Sync'
printed 'late'
expect 2 ./on "$first" list --directory Sync
passed "a directory that others can enter, that is gone, or that is named wrongly is refused"

# ---- Pairings of two machines ----

start_pcscd
insert bt state
export PASSWORD=$password
third=$work/third
mkdir -m 700 "$third"
for machine in "$first" "$second" "$third"; do configure "$machine" 'synchronised = ~/Pairings'; done
stored=.local/share/kanal/synchronised/key
expect 1 ./at "$first" pairings key
printed 'has no key of the synchronised pairings: make it, or bring it from another machine'
expect 0 ./at "$first" pairings key --make --json
schema
./at "$first" pairings key > carried
expect 0 ./at "$first" pair --password-source env:PASSWORD
[ "$(./at "$first" pairings key)" = "$(cat carried)" ] || fail "the activation has made another key"

# The file with the key has come in part, mistyped, empty, or is the key of secrets.
head -c 40 carried > torn
tr A-Z2-7 B-Z2-7A < carried > mistyped
: > empty
./on "$first" key --make --directory '~/Sync' > secrets
for bad in torn mistyped secrets empty; do
    expect 1 ./at "$second" pairings join --key-source file:$bad
    [ "$bad" = empty ] || printed 'not a key of pairings: give the whole line that "kanal pairings key" shows on the other'
    [ ! -e "$second/$stored" ] || fail "$bad: a key was stored"
done
printed 'has no first line'
expect 0 ./at "$second" pairings join --key-source file:carried --json
schema
expect 0 ./at "$second" pairings list
printed 'paired with no token'
expect 7 ./at "$second" random 8
cp "$first/Pairings"/* "$second/Pairings"
expect 0 ./at "$second" pairings list --json
schema
grep -q "\"serial\" : \"$serial\"" output || fail "the pairing cannot be read: $(cat output)"
expect 0 ./at "$second" random 8
passed "a key of pairings is carried: a token that one machine has activated works on the other; a torn key is refused"

# What is stored of the key is torn: nothing is made in its place, and the carried one is taken over.
head -c 10 "$second/$stored" > torn
cat torn > "$second/$stored"
expect 1 ./at "$second" pairings key
printed 'key of the synchronised pairings is damaged: bring it from another machine'
expect 1 ./at "$second" pairings key --make
expect 0 ./at "$second" pairings join --key-source file:carried
expect 0 ./at "$second" random 8

expect 0 ./at "$third" pair --password-source env:PASSWORD
cp "$third/$stored" before
expect 1 ./at "$third" pairings join --key-source file:carried
printed 'pairings under another key: remove them here first, with "kanal pairings remove"'
cmp "$third/$stored" before
expect 0 ./at "$third" random 8
expect 0 ./at "$third" pairings remove "$serial" --yes
expect 0 ./at "$third" pairings join --key-source file:carried
cp "$first/Pairings"/* "$third/Pairings"
expect 0 ./at "$third" random 8
passed "a torn key in the store is told and mended; a key that pairings are under is kept"
echo "secrets.sh: passed"
