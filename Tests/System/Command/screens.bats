#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The terminals of docs/Start/Owner.md show the command's output: follows the page, with an emulated token of its serial
# number. Only dates, and the days until them, may differ.
# bats file_tags=command
load ../common
load terminal

setup_file() {
    prepare
    start_pcscd
}

# With one date for all dates.
dated() { sed -E 's/[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9:]{8}Z)?/DATE/g; s/(days left: )[0-9]+/\1DAYS/'; }

# The screen is the next terminal of the page.
screen_is_next() {
    number=$((number + 1))
    [ -e shown.$number ] || fail "the page has no terminal number $number"
    diff -u shown.$number <(screen | dated | sed '/^Waiting for a token/d; $d') || fail "the page shows something else"
    type_line clear
    wait_for_prompt
}

# Types the command of the next terminal, and the PIN if it is asked for.
next_terminal() {
    local command
    command=$(sed -n '1s/^\$ //p' shown.$((number + 1)))
    type_line "$command"
    if grep -q '^PIN of the token' shown.$((number + 1)); then
        wait_for_screen '^PIN of the token'
        type_line "$pin"
    fi
    wait_for_prompt
    screen_is_next
}

@test "the terminals of docs/Start/Owner.md are those of the command" {
    # The terminals of the page, each in a file "shown.NUMBER".
    dated < "$root/docs/Start/Owner.md" \
        | awk '/^```/ { inside = 0 } inside { print > ("shown." number) } /^```console/ { inside = 1; number++ }'
    number=0
    open_terminal 80 NO_COLOR=1
    type_line kanal
    wait_for_screen 'Put the token in'
    insert bt state --serial "$(sed -nE 's/^Found: .* ([0-9a-f]{8}) in .*/\1/p' shown.1)"
    wait_for_screen 'Activation password:'
    type_line "$password"
    wait_for_prompt
    screen_is_next
    echo "$pin" > maker
    pin=11223344
    echo "$pin" > pin
    expect 0 "$kanal" pin change --pin-source file:maker --new-pin-source file:pin
    next_terminal
    next_terminal

    # The authority's part.
    openssl req -x509 -newkey rsa:2048 -nodes -keyout authority.key -out root.pem -subj /CN=Authority -days 365 2> /dev/null
    openssl x509 -req -in request.pem -CA root.pem -CAkey authority.key -CAcreateserial -out certificate.pem -days 365 \
        2> /dev/null
    expect 0 "$kanal" cert import --pin-source file:pin certificate.pem
    echo "A contract" > contract.pdf

    while [ -e shown.$((number + 1)) ]; do next_terminal; done
    [ "$number" -ge 6 ] || fail "the page has only $number terminals"
    close_terminal
}
