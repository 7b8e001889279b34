#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The packages of "make deb" as Debian's own checker sees them.
# bats file_tags=night
load ../common
load chroot

@test "there is no error, warning or pedantry but what an override explains, and no override of what is not there" {
    ls "$packages"/*.changes > /dev/null || fail "\"make deb\" has to come first"
    lintian --allow-root --display-info --pedantic --fail-on error,warning,pedantic "$packages"/*.changes > output 2>&1 \
        || fail "$(cat output)"
    not_printed unused-override
}
