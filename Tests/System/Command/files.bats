#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The files that the command kanal reads and writes, without a token: results in directories of attackers, links and pipes of
# other users, set-user-ID bits, the input's own name; closed descriptors, pipes without another end, names that are not UTF-8;
# long and hostile files in PEM.
# bats file_tags=command
load ../common

umask 022

setup_file() {
    prepare
    cp "$built_kanal" kanal
    # Other users can enter.
    chmod 755 "$BATS_RUN_TMPDIR" .
    mkfifo pipe
    authority root
    echo 'what was signed' > signed
    openssl cms -sign -cades -binary -nodetach -in signed -signer root.pem -inkey root.key -outform DER -out message.p7m
}

built_kanal=$kanal
kanal=$work/kanal
verify=("$kanal" verify --cms --signature-only --overwrite message.p7m)
as=()

# authority NAME MORE…: makes a certificate that signs itself.
authority() {
    openssl req -x509 -newkey rsa:2048 -nodes -keyout "$1.key" -out "$1.pem" -days 30 -subj "/CN=$1" "${@:2}" 2> made
}

# ends_with STATUS: the command in the background ends within five seconds.
ends_with() {
    local status=0
    wait_until sh -c "! kill -0 $process" || fail "it does not end"
    wait $process || status=$?
    [ $status = "$1" ] || fail "exit status $status instead of $1: $(cat output)"
}

# refused WORD FILE: a result that is sent to FILE is refused for this reason.
refused() {
    expect 1 "${as[@]}" "${verify[@]}" --output "$2"
    printed "$1"
}

# measured SECONDS MEBIBYTES STATUS WORD…
measured() {
    expect 0 python3 -c 'import resource, subprocess, sys, time
seconds, memory, wanted = map(int, sys.argv[1:4])
start = time.monotonic()
status = subprocess.call(sys.argv[4:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
taken, used = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
print(f"{taken:.1f} s, {used} MiB, status {status}")
sys.exit(status != wanted or taken > seconds or used > memory)' "$@"
}

@test "no result takes the place of a file that is read, by whatever name" {
    cp message.p7m before
    ln message.p7m hard
    ln -s message.p7m soft
    for name in message.p7m ./message.p7m hard soft "$work/message.p7m"; do refused 'would be lost' "$name"; done
    cmp message.p7m before || fail "the input is lost"
    expect 1 "$kanal" verify --cms --ca root.pem message.p7m --output root.pem
    printed 'would be lost'
}

@test "results are private until they are accepted, and keep no set-user-ID bits" {
    expect 0 "${verify[@]}" --output new
    expect 1 "$kanal" verify --cms --signature-only message.p7m --output new
    printed '^kanal: new is there already: --overwrite replaces it$'
    [ "$(stat -c %a new)" = 644 ] || fail "a new file has $(stat -c %A new)"
    cp new old
    chmod 6640 old
    expect 0 "${verify[@]}" --output old
    [ "$(stat -c %a old)" = 640 ] || fail "a file that is replaced has $(stat -c %A old)"
    chmod 600 old
    launch "$kanal" verify --cms --signature-only --overwrite pipe --output old > output 2>&1
    process=$launched
    exec 9> pipe
    head -c 200 message.p7m >&9
    wait_until sh -c 'ls old.*.part'
    part=$(ls old.*.part)
    [ "$(stat -c %a "$part")" = 600 ] || fail "what is not accepted yet has $(stat -c %A "$part")"
    [[ $part != *.$process.* ]] || fail "its name can be foreseen: $part"
    exec 9>&-
    ends_with 1
    [ "$(cat old)" = "$(cat signed)" ] && ! ls old.* 2> made || fail "a message that is cut leaves something"
}

@test "root's results in a user's directory go nowhere else, and get no rights" {
    [ "$(id -u)" = 0 ] || skip "that takes root"
    # Root writes into a directory of user 4711.
    mkdir evil
    cp /bin/true evil/content
    echo precious > precious
    cp precious precious.pem
    ln -s "$work/precious" evil/link
    ln -s "$work" evil/directory
    mkfifo evil/pipe
    chown -Rh 4711 evil
    chmod 6777 evil/content
    expect 0 "${verify[@]}" --output evil/content
    [ "$(stat -c '%u %a' evil/content)" = '0 644' ] || fail "root's file has $(stat -c '%U %A' evil/content)"
    refused 'a link of another user' evil/link
    refused 'a link of another user' evil/directory/precious
    launch cat evil/pipe > got
    refused 'a pipe or a device of another user' evil/pipe
    : > evil/pipe
    launch "$kanal" verify --cms --signature-only pipe --output evil/later > output 2>&1
    process=$launched
    exec 9> pipe
    head -c 200 message.p7m >&9
    wait_until sh -c 'ls evil/later.*.part'
    part=$(ls evil/later.*.part)
    setpriv --reuid 4711 --clear-groups sh -c 'mv "$0" evil/taken; ln -s "$1" "$0"' "$part" "$work/precious"
    tail -c +201 message.p7m >&9
    exec 9>&-
    ends_with 1
    printed 'was exchanged'
    [ "$(cat precious)" = precious ] && [ ! -s got ] || fail "something was written where user 4711 wanted it"
}

@test "links and pipes of others in a directory for all are refused, one's own work" {
    [ "$(id -u)" = 0 ] || skip "that takes root"
    # User 4712 writes into a directory for all, in which user 4711 has set traps.
    mkdir -m 1777 all
    ln -s /dev/full all/root
    ln -s "$work/own" all/link
    ln -s "$work/own" all/directory
    mkfifo -m 666 all/pipe
    chown -h 4711 all/link all/directory all/pipe
    mkdir own
    chown 4712 own
    as=(setpriv --reuid 4712 --regid 4712 --clear-groups)
    refused 'a link of another user\|Permission denied' all/link
    refused 'a link of another user\|Permission denied' all/directory/file
    refused 'a pipe or a device of another user' all/pipe
    refused 'No space left' all/root
    expect 0 "${as[@]}" "${verify[@]}" --output all/file
    expect 0 "${as[@]}" ln -s "$work/own/file" all/mine
    expect 0 "${as[@]}" "${verify[@]}" --output all/mine
    cmp own/file signed || fail "a link of one's own does not lead to the file"
    [ "$(ls own)" = file ] || fail "something else is there: $(ls own)"
}

@test "pipes, devices, the terminal and descriptors of one's own are written to" {
    for name in stdout fd/1; do
        "${verify[@]}" --output /dev/$name | cat > piped
        "${verify[@]}" --output /dev/$name > both
        [ "$(head -1 both)" = "$(cat signed)" ] && grep -q good both || fail "/dev/$name does not work: $(cat both)"
        cmp piped both
    done
    expect 0 "${verify[@]}" --output /dev/null
    # Before it is verified, no part of a content goes there.
    sed 's/what was signed/what was sighed/' message.p7m > changed.p7m
    "$kanal" verify --cms --signature-only changed.p7m --output /dev/stdout > piped 2>&1 || true
    printed 'not accepted' piped
    not_printed 'what was sighed' piped
    launch "${verify[@]}" --output pipe > output
    process=$launched
    cmp pipe signed || fail "a pipe of one's own does not work"
    ends_with 0
    expect 0 script -qec "$(printf '%q ' "${verify[@]}") --output /dev/tty" terminal
    grep -q 'what was signed' terminal || fail "a terminal of one's own does not work: $(cat terminal)"
}

@test "closed descriptors keep nothing from ending, and files do not get their numbers" {
    for closed in '<&-' '>&-' '2>&-' '<&- >&-' '<&- >&- 2>&-'; do
        status=0
        rm -f new
        eval "timeout 20 \"\${verify[@]}\" --output new $closed" > made 2>&1 || status=$?
        case $closed in '>&-' | '<&- >&-'*) wanted=1 ;; *) wanted=0 ;; esac
        [ $status = $wanted ] || fail "exit status $status instead of $wanted with $closed"
        cmp new signed || fail "another content with $closed"
    done
    expect 1 sh -c 'exec "$0" verify --cms --signature-only - <&-' "$kanal"
    printed 'standard input: Bad file descriptor'
    launch "$kanal" verify --cms --signature-only pipe <&- >&- 2> output
    process=$launched
    sleep 0.2
    kill -TERM $process
    ends_with 6
}

@test "one Ctrl-C ends the wait for a pipe's other end" {
    for words in 'pipe' 'message.p7m --output pipe'; do
        # shellcheck disable=SC2086
        launch "$kanal" verify --cms --signature-only $words > output 2>&1
        process=$launched
        sleep 0.2
        kill -INT $process
        ends_with 6
    done
}

@test "names of files that are not UTF-8 are read, written and told apart" {
    old=$'\xe4\xee\xe3\xee\xe2\xee\xf0'
    other=$'\xe4\xee\xe3\xee\xe2\xee\xf1'
    mkdir "$old"
    cp message.p7m "$old/$old.p7m"
    expect 0 "$kanal" verify --cms --ca root.pem "$old/$old.p7m" --output="$old/$other"
    printed '^\\xe4\\xee\\xe3\\xee\\xe2\\xee\\xf0/\\xe4\\xee\\xe3\\xee\\xe2\\xee\\xf0.p7m: good$'
    cmp "$old/$other" signed || fail "another content is read"
    expect 1 "$kanal" verify --cms --ca root.pem --json "$other.p7m" "$old/$old.p7m"
    printed '"file" : "\\\\xe4\\\\xee\\\\xe3\\\\xee\\\\xe2\\\\xee\\\\xf1.p7m"'
    [ "$(ls -A "$old" | wc -l)" = 2 ] || fail "other files are there: $(ls "$old")"
    expect 2 "$kanal" verify --key "$old" message.p7m
    printed 'is not UTF-8'
}

@test "long and hostile files in PEM are read in a time and a memory of their length" {
    authority other
    python3 - << 'END'
import base64, os
def block(data, name): return b"-----BEGIN %s-----\n%s-----END %s-----\n" % (name, base64.encodebytes(data), name)
root = open("root.pem", "rb").read()
open("many.pem", "wb").write(open("other.pem", "rb").read() * 3000 + root)
open("lines.pem", "wb").write(b"-----BEGIN CERTIFICATE-----\n" + b"\n" * (16 << 20))
open("line.pem", "wb").write(b"-----BEGIN CERTIFICATE-----" + b" " * (16 << 20))
open("short.pem", "wb").write(b"-----BEGIN CMS-----\nA" + b"\n A" * (5 << 20))
open("blocks.pem", "wb").write(b"-----BEGIN X-----\nAAAA\n-----END X-----\n" * (1 << 18) + root)
END
    cp message.p7m second.p7m
    measured 20 128 0 "$kanal" verify --cms --ca many.pem message.p7m second.p7m message.p7m second.p7m
    for file in lines line short; do measured 20 128 1 "$kanal" verify --cms --ca $file.pem message.p7m; done
    measured 20 128 0 "$kanal" verify --cms --ca blocks.pem message.p7m
    printf '%s\r\n' "$(sed 's/^/ /; s/^ -/-/; s/$/ /' root.pem)" > spaced.pem
    expect 0 "$kanal" verify --cms --ca spaced.pem message.p7m
}
