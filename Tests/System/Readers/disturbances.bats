#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# pcscd, reader and card are disturbed while a program uses a token, for each kind of token and each operation. The call has
# to end in time by the code that the table of docs/Token.md has for it, the login has to outlive it where the table requires
# it, and no PIN may reach another card. In $ROUNDS behind the first, the call is disturbed at random commands, where the
# outcome is one of several. All disturbances, or $DISTURBANCES alone, are tried at the same time, with a pcscd each.
# bats file_tags=apart
load ../common

page=$root/docs/Token.md
kinds="wired waiting channel"

setup_file() {
    local disturbance kind
    if [ "$(id -u)" != 0 ] || ! unshare --mount --net true 2> /dev/null; then
        skip_all "it takes root, and mounts, networks and pcscds of its own"
        return
    fi
    prepare disturb steps
    for disturbance in ${DISTURBANCES:-killed gone restarted replaced stopped exchanged reset unpowered held kept abandoned slow}; do
        for kind in $kinds; do
            {
                "$root/Tests/System/apart" "$root/Tests/System/Readers/disturbance.bash" "$disturbance" "$kind" "$work" \
                    "${ROUNDS:-1}" > "$disturbance.$kind" 2> "$disturbance.$kind.errors" || touch "$disturbance.failed"
            } 3>&- &
        done
    done
    wait
}

# The page's result of an operation: disturbance, kind, moment, operation.
expected() {
    awk -F ' *[|] *' -v disturbance="$1" -v kind="$2" -v moment="$3" -v operation="$4" '
        function has(list, word) { return list == "all" || index(", " list ", ", ", " word ", ") }
        BEGIN { column["login"] = 5; column["sign"] = 6; column["keys"] = 7 }
        NF == 8 && has($2, disturbance) && has($3, kind) && has($4, moment) { print $column[operation]; exit }' "$page"
}

# The page's words for two codes.
declare -gA words=([0x0]=ok [0x30]=error [0x32]=removed [0xB3]=ended [0xB0]=closed [0x190]=finalized)
in_words() {
    local call=${words[${1%/*}]:-${1%/*}} next=${words[${1#*/}]:-${1#*/}}
    if [ "$call/$next" = ok/ok ]; then echo ok; else echo "$call, $next"; fi
}
is_one() { [[ " or $2 or " = *" or $1 or "* ]]; }

# Compares what a disturbance has led to with the page.
leads_to_the_page() {
    local kind moment operation codes took result wanted verdict
    [ -e "$1.wired" ] || skip "not among DISTURBANCES"
    for kind in $kinds; do
        printf '%s, %s\n' "$1" "$kind"
        while read -r moment operation codes took; do
            result=$(in_words "$codes")
            case $moment/$operation in
                */wait) wanted='ok or finalized or closed, ok' ;;
                random/*) wanted='ok or error or removed, ok or error or removed or ended' ;;
                *) wanted=$(expected "$1" "$kind" "$moment" "$operation") ;;
            esac
            verdict=
            if ! is_one "${result%, *}" "${wanted%, *}" || ! is_one "${result#*, }" "${wanted#*, }"; then
                verdict="   <- instead of \"$wanted\""
                touch "$1.failed"
            fi
            printf '    %-6s  %-5s  %-17s  %5d ms%s\n' "$moment" "$operation" "$result" "$took" "$verdict"
        done < "$1.$kind"
        cat "$1.$kind.errors"
    done
    [ ! -e "$1.failed" ] || fail "these results are not those of docs/Token.md"
}

@test "pcscd is killed and started again" { leads_to_the_page killed; }
@test "pcscd is killed, and gone for longer than the window" { leads_to_the_page gone; }
@test "pcscd is restarted" { leads_to_the_page restarted; }
@test "pcscd is restarted, and finds another card" { leads_to_the_page replaced; }
@test "pcscd is stopped for a while" { leads_to_the_page stopped; }
@test "another card takes the token's place while pcscd is stopped" { leads_to_the_page exchanged; }
@test "another program resets the card" { leads_to_the_page reset; }
@test "another program takes the card's power" { leads_to_the_page unpowered; }
@test "another program holds the card for a while" { leads_to_the_page held; }
@test "another program keeps the card for longer than busy_window" { leads_to_the_page kept; }
@test "another program is killed in a transaction" { leads_to_the_page abandoned; }
@test "the card is slow" { leads_to_the_page slow; }
