#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# disturbances.sh [-n ROUNDS] [DISTURBANCE...]: pcscd, reader and card are disturbed while a program uses a token, for each
# kind of token and each operation. The call has to end in time by the code that the table of docs/Token.md has for it, the
# login has to outlive it where the table says so, and no PIN may reach another card. Further rounds disturb the call at
# random commands, where the outcome is one of several. Each disturbance and kind of token have a pcscd of their own, and all
# are tried at the same time.
set -euo pipefail
cd "$(dirname "$0")/../.."
script=$PWD/Tests/Scripts/${0##*/}
. Tests/Scripts/common.sh
. Tests/Scripts/usb-reader.sh

page=$root/docs/Token.md
disturbances=(killed gone restarted replaced stopped exchanged reset unpowered held kept abandoned slow)
kinds=(wired waiting channel)
# In seconds: how long a disturbance lasts, how long a token may be away, and how long after both a call has to end.
lasts=1.5
window=6
bound=5

# ---- The disturbances ----

# Does something in some seconds.
after() {
    (
        sleep "$1"
        "${@:2}"
    ) &
    others+=($!)
}

# Starts pcscd in some seconds.
launch() {
    (
        sleep "$1"
        be_pcscd --config "$work/reader.conf"
    ) >> pcscd.log 2>&1 &
    pcscd=$!
}

# Ends pcscd, which waits for a command that is held back.
end_pcscd() {
    kill "-$1" "$pcscd"
    wait "$pcscd" 2> /dev/null || true
    pcscd=
}

# Another program does something to the card: before the call, or as soon as it gets the card.
another() {
    ./disturb "$@" > /dev/null &
    others+=($!)
    if [ "$moment" = before ]; then
        wait $! || fail "$cell: another program does not get the card"
    else
        sleep 0.2
    fi
}

# Another program keeps the card for some seconds.
keep() {
    rm -f held
    ./disturb transaction < <(exec sleep "$1") > held &
    holder=$!
    others+=("$holder")
    if [ "$moment" = before ]; then
        wait_until test -s held || fail "$cell: another program does not get the card"
    else
        sleep 0.2
    fi
}

killed() { end_pcscd KILL && launch $lasts; }
gone() { end_pcscd KILL; }
restarted() { end_pcscd TERM && launch $lasts; }
replaced() { end_pcscd TERM && touch controls/other && launch $lasts; }
stopped() { kill -STOP "$pcscd" && after $lasts kill -CONT "$pcscd"; }
exchanged() { kill -STOP "$pcscd" && touch controls/other && after 0.5 kill -CONT "$pcscd"; }
reset() { another reset; }
unpowered() { another unpower; }
held() { keep $lasts; }
kept() { keep 3; }
abandoned() { keep 4 && after $lasts kill -KILL $holder; }
slow() { after 3 rm -f controls/paused; }

# Whether the other card stays, so that the next call meets it.
is_exchange() { [[ $disturbance = exchanged || $disturbance = replaced ]]; }

# ---- One disturbance of one kind of token ----

# Sends a step to the application, and hears what it says to the next ones that are named.
send() { echo "$*" >&"${application[1]}"; }
hear() {
    answer=
    read -r -t $((limit + bound)) answer <&"${application[0]}" \
        || fail "$cell: no \"$1\" after $((limit + bound)) s: $(tail -n 20 log)"
    [ "${answer% *}" = "$1" ] || fail "$cell: \"$answer\" instead of \"$1\""
    answer=${answer#* }
}
step() {
    send "$@"
    hear "$1"
}
done_by() {
    step "$@"
    [ "$answer" = 0x0 ] || fail "$cell: $answer from $*: $(tail -n 20 log)"
}
begin() {
    coproc application { exec ./steps "$slot"; }
    done_by open
}
end() {
    local ended=$application_PID
    eval "exec ${application[1]}>&-"
    wait "$ended" || true
}

# Ends the disturbance.
heal() {
    local process
    for process in "${others[@]:1}"; do wait "$process" 2> /dev/null || true; done
    others=("${others[0]}")
    rm -f controls/{other,pause,paused}
    [ -n "$pcscd" ] || launch $window
    wait_until sh -c './readers | grep -q ^card' || fail "$cell: no card comes back"
    wait_until sh -c './activate "$0" | grep -q ^slot:' "$serial" || fail "$cell: the token does not come back: $(tail -n 5 log)"
}

# Disturbs a step: before it is sent, or at one of its commands, unless it has less. The wait for an event has none, but is
# under way.
disturb() {
    local begun=${EPOCHREALTIME/./}
    if [ "$moment" = before ]; then
        "$disturbance"
        send "$@"
    else
        echo "$command" > controls/pause
        send "$@"
        for _ in {1..1000}; do
            if [ -e controls/paused ] || read -r -t 0 <&"${application[0]}"; then break; fi
            sleep 0.01
        done
        "$disturbance"
        [ "$disturbance" = slow ] || rm -f controls/paused
    fi
    hear "$3"
    took=$(((${EPOCHREALTIME/./} - begun) / 1000))
}

# What the next call says of the session and its login.
next() {
    case $1 in
        login/0x0)
            step key
            [ "$answer" != 0x0 ] || step sign
            ;;
        login/*) step login $pin ;;
        *) step sign ;;
    esac
}

# Prints how an operation ends, by both codes, and after how many milliseconds.
try() {
    local operation=$1 code
    moment=$2
    cell="$disturbance, $kind, $operation, $moment"
    begin
    [ "$operation" = login ] || done_by login $pin
    case $operation in
        login) disturb login $pin login ;;
        sign) done_by key && disturb sign "" sign ;;
        keys) done_by key && disturb keys "" keys ;;
        wait)
            if [ "$disturbance" = slow ]; then
                done_by key
                echo 0 > controls/pause
                done_by beside sign
                wait_until test -e controls/paused || fail "$cell: no command is held back"
                disturb finalize "" sign
            else
                done_by beside wait
                disturb finalize "" wait
            fi
            ;;
    esac
    code=$answer
    if [ "$operation" = wait ]; then
        hear finalize
        heal
    elif is_exchange; then
        rm -f controls/pause
        next "$operation/$code"
        heal
    else
        heal
        next "$operation/$code"
    fi
    ! grep -q '^> ..\(20\|24\|2c\)' other.trace || fail "$cell: the other card got a PIN: $(cat other.trace)"
    echo "$moment $operation $code/$answer $took"
    end
}

# bench DISTURBANCE KIND PROGRAMS ROUNDS
bench() {
    disturbance=$1 kind=$2 cell="$1, $2"
    built=$3 prepare disturb steps
    seem_usb
    export KANAL_LOG=$work/log
    limit=3
    [ "$disturbance" != gone ] || { window=2 && limit=2; }
    local busy=60
    [ "$disturbance" != kept ] || busy=1
    configure "busy_window = $busy"
    case $kind in
        channel) configure "busy_window = $busy" 'wireless_readers = Virtual PCD *' "reconnect_window = $window" ;;
        waiting) configure "busy_window = $busy" "reconnect_window_wired = $window" ;;
    esac
    start_pcscd --config "$work/reader.conf"
    "$emulator" --identity usb3 --state other --port 35964 --trace "$work/other.trace" > other.log 2>&1 &
    others+=("$!")
    if [ "$kind" = channel ]; then
        touch controls/virtual
        attach bt token
        timeout 60 ./activate "$serial" "$password" > /dev/null || fail "activation fails"
    else
        attach usb3 token
    fi
    wait_until grep -q '^attached:' other.log || fail "the other token is not attached: $(cat other.log)"
    : > other.trace
    begin
    done_by login $pin
    done_by keys
    end
    for ((round = 0; round < $4; round++)); do
        command=$((round ? RANDOM % 8 : 0))
        for operation in login sign keys; do
            [ "$disturbance" = slow ] || try "$operation" before
            try "$operation" "$( ((round)) && echo random || echo in)"
        done
        try wait before
    done
    # Nothing is proven if the other card was never there.
    ! is_exchange || [ "$kind" = wired ] || grep -q '^>' other.trace || fail "$cell: the other card was asked nothing"
}

if [ "${1:-}" = bench ]; then
    bench "${@:2}"
    exit 0
fi

# ---- All of them ----

rounds=1
while getopts n: option; do
    case $option in
        n) rounds=$OPTARG ;;
        *) exit 64 ;;
    esac
done
shift $((OPTIND - 1))
[ $# = 0 ] || disturbances=("$@")
if [ "$(id -u)" != 0 ] || ! unshare --mount --net true 2> /dev/null; then
    skipped "it takes root, and mounts, networks and pcscds of its own"
    exit 0
fi
prepare disturb steps
for disturbance in "${disturbances[@]}"; do
    for kind in "${kinds[@]}"; do echo "$disturbance $kind"; done
done > benches
# shellcheck disable=SC2016
xargs -P 40 -L 1 sh -c '"$0" "$1" bench "$4" "$5" "$2" "$3" > "$2/$4.$5" 2> "$2/$4.$5.errors"' \
    "$root/Tests/Scripts/apart.sh" "$script" "$work" "$rounds" < benches || failed=yes

# The page's result of an operation: disturbance, kind, moment, operation.
expected() {
    awk -F ' *[|] *' -v disturbance="$1" -v kind="$2" -v moment="$3" -v operation="$4" '
        function has(list, word) { return list == "all" || index(", " list ", ", ", " word ", ") }
        BEGIN { column["login"] = 5; column["sign"] = 6; column["keys"] = 7 }
        NF == 8 && has($2, disturbance) && has($3, kind) && has($4, moment) { print $column[operation]; exit }' "$page"
}

# The page's words for two codes.
declare -A words=([0x0]=ok [0x30]=error [0x32]=removed [0xB3]=ended [0xB0]=closed [0x190]=finalized)
in_words() {
    local call=${words[${1%/*}]:-${1%/*}} next=${words[${1#*/}]:-${1#*/}}
    [ "$call/$next" = ok/ok ] && echo ok || echo "$call, $next"
}
is_one() { [[ " or $2 or " = *" or $1 or "* ]]; }

while read -r disturbance kind; do
    printf '%s, %s\n' "$disturbance" "$kind"
    while read -r moment operation codes took; do
        result=$(in_words "$codes")
        case $moment/$operation in
            */wait) wanted='ok or finalized or closed, ok' ;;
            random/*) wanted='ok or error or removed, ok or error or removed or ended' ;;
            *) wanted=$(expected "$disturbance" "$kind" "$moment" "$operation") ;;
        esac
        verdict=
        if ! is_one "${result%, *}" "${wanted%, *}" || ! is_one "${result#*, }" "${wanted#*, }"; then
            verdict="   <- instead of \"$wanted\""
            failed=yes
        fi
        printf '    %-6s  %-5s  %-17s  %5d ms%s\n' "$moment" "$operation" "$result" "$took" "$verdict"
    done < "$disturbance.$kind"
    cat "$disturbance.$kind.errors"
done < benches
[ -z "${failed:-}" ] || fail "these results are not those of docs/Token.md"
passed "each call ends in time and as docs/Token.md says, and no PIN reaches another card, in $(cat ./*.{wired,waiting,channel} | wc -l) tries"
