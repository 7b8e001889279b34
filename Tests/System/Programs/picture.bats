#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# docs/demo.svg, which the README shows. KANAL_SCREENS=accept draws it again.
# bats file_tags=apart
load ../common

@test "the picture shows what the demonstration prints" {
    "$root/Tests/Scripts/demo.sh" > "$work/demo"
    "$root/docs/picture.py" "make demo" < "$work/demo" > "$work/demo.svg"
    [ "${KANAL_SCREENS:-}" != accept ] || cp "$work/demo.svg" "$root/docs/demo.svg"
    diff -u "$root/docs/demo.svg" "$work/demo.svg"
}
