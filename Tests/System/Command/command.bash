# SPDX-License-Identifier: Apache-2.0
# The command "kanal" without a terminal, for files that have loaded common.bash.

export PIN=$pin
user=(--pin-source env:PIN)

# kanal_exits STATUS WORD...: the command's exit status; its standard input is the file $input, results are in "output", messages
# in "messages".
kanal_exits() {
    local wanted=$1 status=0
    shift
    setsid --wait timeout 300 "$kanal" "$@" > output 2> messages < "${input:-/dev/null}" 3>&- || status=$?
    [ "$status" = "$wanted" ] || fail "exit status $status instead of $wanted: kanal $*"$'\n'"$(cat output messages)"
}
# The same with the user's PIN.
as_user() { kanal_exits "$@" "${user[@]}"; }
told() { printed "$1" messages; }
# Whether the last output is JSON by the schema, of which this expression in Python holds.
json() {
    /usr/bin/python3 - "$root/docs/kanal.schema.json" "${1:-True}" << 'END' || fail "not so: ${1:-}, in: $(cat output)"
import json, jsonschema, sys
d = json.load(open("output"))
jsonschema.Draft202012Validator(json.load(open(sys.argv[1]))).validate(d)
assert eval(sys.argv[2])
END
}

# The token of "on" (common.bash), paired, and made ready by the file's function "furnish" when it is new.
bring() {
    local new=
    unconfigure
    if [ ! -e "$identity.ready" ]; then
        new=yes
        rm -rf "$identity"
    fi
    attach "$identity" "$identity"
    if [ "$identity" = bt ]; then
        configure 'wireless_readers = Virtual PCD *'
        if [ -n "$new" ]; then
            as_user 7 list
            told "activated first"
            PASSWORD=$password kanal_exits 0 pair --password-source env:PASSWORD
        fi
    fi
    [ -z "$new" ] || furnish
    touch "$identity.ready"
}
