#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# "kanal secrets" on machines, each a home directory with its copy of the replicated one: names, values, patterns, the key's
# way, values that come late; files that have come in part, directories that others can write, and wrong settings. "kanal
# pairings key" and "join": a token that one machine has activated works on the other.
# bats file_tags=command
load ../common
load command

umask 022

setup_file() {
    prepare
    start_pcscd
    unset XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME
    export KANAL=$kanal VALUE='a  b"c\d é'
    # at MACHINE WORD..., on MACHINE WORD...: the command, and "kanal secrets", as a machine's user runs them.
    cat > ./at << 'END'
#!/bin/sh
HOME=$1 LC_ALL=C.UTF-8
export HOME LC_ALL
shift
exec "$KANAL" "$@"
END
    cat > ./on << 'END'
#!/bin/sh
machine=$1
shift
exec ./at "$machine" secrets "$@"
END
    chmod 755 at on
}

# Each test has machines of its own.
setup() {
    cd "$work"
    first=$BATS_TEST_TMPDIR/first second=$BATS_TEST_TMPDIR/second third=$BATS_TEST_TMPDIR/third
    mkdir -m 700 "$first" "$second" "$third"
}
teardown() { detach; }

# settings MACHINE LINE...: writes a machine's kanal.conf.
settings() { XDG_CONFIG_HOME=$1/.config configure "${@:2}"; }

# Two machines with a directory and its key.
joined() {
    local machine
    for machine in "$first" "$second"; do settings "$machine" 'secrets = ~/Sync'; done
    expect 0 ./on "$first" key --make
    ./on "$first" key > key
    expect 0 ./on "$second" join --key-source - < key
}

@test "secrets are set, read, found by patterns and deleted" {
    expect 0 ./on "$first" set mail.example ann --secret-source env:VALUE
    printed 'was added'
    [ "$(./on "$first" get mail.example ann)" = "$VALUE" ] || fail "another value"
    VALUE=new expect 0 ./on "$first" set mail.example ann --secret-source env:VALUE --json
    json
    printed '"changed"'
    expect 0 ./on "$first" get mail.example ann --output file
    expect 1 ./on "$first" get mail.example ann --output file
    printed '^kanal: file is there already: --overwrite replaces it$'
    expect 0 ./on "$first" get mail.example ann --overwrite --output file
    [ "$(cat file)" = new ] && [ "$(stat -c %a file)" = 600 ] || fail "another file"
    for name in MAIL.other web; do expect 0 ./on "$first" set $name --secret-source env:VALUE; done
    expect 0 ./on "$first" list 'mail.*' --json
    json
    [ "$(grep -c '"service"' output)" = 2 ] || fail "other secrets: $(cat output)"
    expect 0 ./on "$first" list '*' 'a??'
    printed '^mail.example *ann$'
    not_printed web
    expect 0 ./on "$first" --group other
    printed 'no such secrets'
    expect 1 ./on "$first" get mail.example bob
    printed 'there is no secret of this service and account'
    expect 0 ./on "$first" delete web --yes --json
    json
    expect 1 ./on "$first" get web
    expect 1 ./on "$first" delete web --yes
    expect 2 ./on "$first" key
    printed 'secrets of this machine alone are not shared'
    expect 2 ./on "$first" list --group a/b
    expect 2 ./on "$first" set nowhere --synchronised --secret-source env:VALUE
    printed 'no directory is named for secrets that are synchronised: give --directory, or set secrets in kanal.conf'
    expect 1 ./on "$first" get nowhere
    ! grep -rqa -e new -e mail.example "$first" || fail "a secret or a name is readable"
}

@test "a group's key is carried to another machine, and no other line" {
    local machine key wrong bad
    for machine in "$first" "$second"; do settings "$machine" 'secrets = ~/Sync'; done
    expect 1 ./on "$first" list
    printed 'has no key of the access group'
    expect 0 ./on "$first" key --make --json
    json
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
    json
}

@test "a value that comes late is waited for, and a torn file affects its own secret alone" {
    local name waiting
    VALUE=new expect 0 ./on "$first" set mail.example ann --secret-source env:VALUE
    joined
    expect 0 ./on "$first" set late ann --secret-source env:VALUE
    name=$(ls "$first/Sync")
    ./on "$second" get late ann --wait 60 > waited 3>&- &
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
    json
    expect 0 ./on "$first" list --synchronised
    not_printed 'this machine'
    expect 0 ./on "$first" delete mail.example ann --synchronised --yes
    [ "$(./on "$first" get mail.example ann --local)" = new ] || fail "the other secret of the name is gone"

    # A file that comes in part.
    head -c 100 "$first/Sync/$name" > "$second/Sync/$name"
    expect 0 ./on "$second" set own --secret-source env:VALUE
    expect 1 ./on "$second" get late ann
    printed 'damaged\|no secret of this'
    [ "$(./on "$second" get own)" = "$VALUE" ] || fail "a torn file affects another secret"
    expect 0 ./on "$second" files --json
    json
    printed "$name"
    kill -0 $waiting || fail "the wait has ended"
    cp "$first/Sync/$name" "$second/Sync/$name"
    wait $waiting || fail "the value was not waited for"
    [ "$(cat waited)" = "$VALUE" ] || fail "another value: $(cat waited)"
    expect 0 ./on "$second" files
    printed 'All files can be read'
    expect 1 ./on "$second" get never --wait 1
    printed 'there is no secret'
}

@test "a directory that others can enter, or that is gone, is refused" {
    local mode words
    joined
    expect 0 ./on "$second" set own --secret-source env:VALUE
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
}

@test "a directory that is named wrongly is refused" {
    local wrong
    expect 0 ./on "$first" set mail.example ann --secret-source env:VALUE
    joined
    expect 0 ./on "$first" set late ann --secret-source env:VALUE
    for wrong in 'secrets = Sync' 'secrets = ~other/Sync' 'secret = /a'; do
        settings "$first" "$wrong"
        expect 1 ./on "$first" list
        printed 'kanal.conf has an error'
    done
    expect 0 ./on "$first" list --local
    printed 'mail.example'
    expect 0 ./on "$first" list --directory \~/Sync
    printed 'late'
    expect 2 ./on "$first" list --directory Sync
}

# A token that the first machine has activated, whose key of pairings is in the file "carried".
stored=.local/share/kanal/synchronised/key
activated() {
    insert bt "$BATS_TEST_TMPDIR/state"
    export PASSWORD=$password
    for machine in "$first" "$second" "$third"; do settings "$machine" 'synchronised = ~/Pairings'; done
    expect 1 ./at "$first" pairings key
    printed 'has no key of the synchronised pairings: make it, or bring it from another machine'
    expect 0 ./at "$first" pairings key --make --json
    json
    ./at "$first" pairings key > carried
    expect 0 ./at "$first" pair --password-source env:PASSWORD
    [ "$(./at "$first" pairings key)" = "$(cat carried)" ] || fail "the activation has made another key"
}

@test "a key of pairings is carried: a token that one machine has activated works on the other; a torn key is refused" {
    activated
    # The file with the key has come in part, mistyped, empty, or is the key of secrets.
    head -c 40 carried > torn
    tr A-Z2-7 B-Z2-7A < carried > mistyped
    : > empty
    ./on "$first" key --make --directory \~/Sync > secrets
    for bad in torn mistyped secrets empty; do
        expect 1 ./at "$second" pairings join --key-source file:$bad
        [ "$bad" = empty ] || printed 'not a key of pairings: give the whole line that "kanal pairings key" shows on the other'
        [ ! -e "$second/$stored" ] || fail "$bad: a key was stored"
    done
    printed 'has no first line'
    expect 0 ./at "$second" pairings join --key-source file:carried --json
    json
    expect 0 ./at "$second" pairings list
    printed 'paired with no token'
    expect 7 ./at "$second" random 8
    cp "$first/Pairings"/* "$second/Pairings"
    expect 0 ./at "$second" pairings list --json
    json
    printed "\"serial\" : \"$serial\""
    expect 0 ./at "$second" random 8
}

@test "a torn key in the store is told and mended; a key that pairings are under is kept" {
    activated
    expect 0 ./at "$second" pairings join --key-source file:carried
    cp "$first/Pairings"/* "$second/Pairings"
    # Nothing is made in place of a torn key, and the carried one is taken over.
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
}
