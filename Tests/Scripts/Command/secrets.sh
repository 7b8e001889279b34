#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# secrets.sh: "kanal secrets" on two machines, each a home directory with its copy of the replicated one: names, values,
# patterns, the key's way, values that come late; files that have come in part, directories that others can write, and
# wrong settings.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. Tests/Scripts/common.sh
cd "$work"
umask 022

unset XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME
first=$work/first second=$work/second
mkdir -m 700 "$first" "$second"
# on MACHINE WORD...: the command, as a machine's user runs it.
cat > on << 'END'
#!/bin/sh
HOME=$1 LC_ALL=C.UTF-8
export HOME LC_ALL
shift
exec "$KANAL" secrets "$@"
END
chmod 755 on
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
done
printed 'not a key of the access group'
expect 0 ./on "$second" join --key-source - --json <<< "${key,,}"
schema
expect 0 ./on "$first" set late ann --secret-source env:VALUE
name=$(ls "$first/Sync")
./on "$second" get late ann --wait 60 > waited &
waiting=$!

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
echo "secrets.sh: passed"
