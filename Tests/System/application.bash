# SPDX-License-Identifier: Apache-2.0
# An application with a session of the token in $slot, Tests/Programs/Token/steps.c: it does a step for each line.

# Starts it, and does these steps, which must succeed.
begin() {
    local words
    coproc application { exec 3>&- && exec ./steps "$slot"; }
    application_process=$application_PID
    adopt "$application_process"
    # shellcheck disable=SC2086
    for words in "$@"; do step 0x0 $words; done
}

send() { echo "$*" >&"${application[1]}"; }

# Sets $answer to its answer to this step, within $limit seconds; $new_password, if it prints one.
hear() {
    answer=
    while read -r -t "${limit:-60}" answer <&"${application[0]}"; do
        case $answer in
            "password "*) new_password=${answer#password } ;;
            "$1 "*)
                answer=${answer#* }
                return 0
                ;;
            *) break ;;
        esac
    done
    fail "\"$answer\" to \"$1\""$'\n'"$(tail -n 40 "${KANAL_LOG:-/dev/null}")"
}

ask() {
    send "$@"
    hear "$1"
}

# A step, and the return value that it must have.
step() {
    ask "${@:2}"
    [ "$answer" = "$1" ] || fail "\"$answer\" instead of $1 from: ${*:2}"$'\n'"$(tail -n 40 "${KANAL_LOG:-/dev/null}")"
}

# Closes its input. The shell forgets the coprocess, once that has ended by itself.
close_input() { [ -z "${application[1]:-}" ] || eval "exec ${application[1]}>&-"; }

end() {
    close_input
    wait "$application_process" || fail "the application fails at its end"
}
