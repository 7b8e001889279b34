#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Files of other programs: made anew with the packages of Debian 12, they get the answers of the table in
# Tests/Vectors/files/files.tsv. Takes botan, gnutls-bin, libbcpkix-java, libengine-gost-openssl, libnss3-tools,
# openjdk-17-jdk-headless and openssl.
set -euo pipefail
cd "$(dirname "$0")/../.."
. Tests/Scripts/common.sh

for program in botan certtool certutil cmsutil javac keytool openssl; do
    [ -n "$(command -v $program)" ] || fail "no $program: apt-get install botan gnutls-bin libnss3-tools openjdk-17-jdk-headless"
done
[ -e /usr/share/java/bcpkix.jar ] || fail "no BouncyCastle: apt-get install libbcpkix-java"
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
timeout 300 Tests/Vectors/files/make.sh "$made"
KANAL_VECTOR_FILES=$made timeout 900 swift test --filter KanalKitTests.OtherProgramTests
passed "files that other programs have just made"
