#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Files of other programs: made again with the packages of Debian 12, they get the answers of the table in
# Tests/Vectors/files/files.tsv. Needs botan, gnutls-bin, libbcpkix-java, libengine-gost-openssl, libnss3-tools,
# openjdk-17-jdk-headless and openssl.
# bats file_tags=night
load ../common

@test "files that other programs have just made get the answers of the table" {
    local program
    for program in botan certtool certutil cmsutil javac keytool openssl; do
        [ -n "$(command -v $program)" ] \
            || fail "no $program: apt-get install botan gnutls-bin libnss3-tools openjdk-17-jdk-headless"
    done
    [ -e /usr/share/java/bcpkix.jar ] || fail "no BouncyCastle: apt-get install libbcpkix-java"
    timeout 300 "$root/Tests/Vectors/files/make.sh" made
    KANAL_VECTOR_FILES=$work/made timeout 900 swift test --package-path "$root" --filter KanalKitTests.OtherProgramTests 3>&-
}
