# SPDX-License-Identifier: Apache-2.0
# Shared by scripts other than files of bats: common.bash and compiler.bash of Tests/System, in a directory of their own. To be
# sourced from the project's root. All that was started is stopped, and all files are removed, when the script ends.

work=$(mktemp -d)
unset BATS_FILE_TMPDIR
. Tests/System/common.bash
. Tests/System/compiler.bash
leftovers=()

end_script() {
    trap - EXIT
    [ -z "$token" ] || stop "$token"
    clean_up
    rm -rf "$work" "${leftovers[@]}"
}
trap end_script EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

fail() {
    printf '\n%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

passed() { printf 'ok: %s\n' "$*"; }
skipped() { printf 'skipped: %s\n' "$*"; }
