#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# target.sh SECONDS keep|- TARGET: compiles a fuzz target with the products of fuzz.sh, and runs it for SECONDS,
# beginning with the inputs of its corpus, Tests/Fuzz/Corpora/<target>.tar.gz. Findings are in .build/fuzz/<target>,
# with the fuzzer's output in "log"; it is printed if the target fails. "// Compiled with:" in a target names sources of
# KanalESIA and other targets that are built with it, as they need nothing of the rest. "configuration" is the one of
# fuzz.sh. A target in C is one of OpenSSL's provider, which is compiled for it.
set -Eeuo pipefail
cd "$(dirname "$0")/../.."
. Tests/Scripts/common.sh

target=$3
build=.build/fuzz
modules=$build/$configuration
directory=$build/$target
source=$(find Tests/Fuzz -mindepth 2 -maxdepth 2 \( -name "$target.swift" -o -name "$target.c" \))
dictionary=${source%.*}.dict

mkdir -p "$directory/corpus"
exec 3>&1 > "$directory/log" 2>&1
trap 'cat "$directory/log" >&3' ERR

Tests/Fuzz/corpus.sh unpack "$target"

# Files of other programs, of which many are in BER, behind more bytes. For messages and PFX the first byte means that the rest
# is whole. Inputs are as long as the longest of them.
longest=1024
others() {
    local file
    for file in Tests/Vectors/files/$1; do { printf "${2:-}"; cat "$file"; } > "$directory/corpus/${file##*/}"; done
}
case $target in
    messages) others '*.p7[bms]' '\0'; longest=2048 ;;
    pfx) others '*.pfx' '\0'; longest=3072 ;;
    privatekeys) others '*.key'; longest=2048 ;;
    documents) longest=2048 ;;
esac

# The provider, which OpenSSL loads.
build_provider() {
    local checked=(clang -g -O1 -std=gnu11 -fsanitize=fuzzer-no-link,address)
    mkdir -p "$directory/objects"
    # shellcheck disable=SC2046
    find Sources/OpenSSLProvider Sources/OpenSSLKeys Sources/GOSTKernels -name '*.c' -print0 \
        | xargs -0 -P "$(nproc)" -I{} sh -c 'out=$1/$(echo "$0" | tr / _).o; source=$0; shift; exec "$@" -c "$source" -o "$out"' {} \
            "$directory/objects" "${checked[@]}" -fPIC -fvisibility=hidden -DOPENSSL_API_COMPAT=10101 '-DKANAL_VERSION="0"' \
            -ISources/OpenSSLProvider -ISources/OpenSSLKeys -ISources/GOSTKernels/include \
            $(pkg-config --cflags p11-kit-1)
    # shellcheck disable=SC2046
    "${checked[@]}" -fuse-ld=lld -shared "$directory"/objects/*.o $(pkg-config --libs p11-kit-1) \
        -Wl,--version-script=Sources/OpenSSLProvider/exports.map -o "$directory/kanal.so"
    clang -g -O1 -std=gnu11 -Wall -Wextra -Werror -fsanitize=fuzzer,address -fuse-ld=lld "$source" -lcrypto -o "$directory/fuzz"
    export OPENSSL_MODULES=$directory OPENSSL_CONF=/dev/null
}

# The products of fuzz.sh.
build_swift() {
    # shellcheck disable=SC2046
    swiftc "$(optimisation_for "$configuration")" -sanitize=fuzzer,address \
        -package-name "$(package_name "$build/$configuration.yaml")" -parse-as-library \
        -swift-version 6 -enable-upcoming-feature InternalImportsByDefault -use-ld=lld -I "$modules/Modules" \
        $(c_module_flags "$modules") \
        "$source" $(sed -n 's|^// Compiled with: ||p' "$source") $(find "${source%.swift}" -name '*.swift' 2> /dev/null) \
        $(objects "$modules" \
            APDU Asking CProcess CXML ChannelToken COpenSSL Configuration ContainerFolders Containers Emulator GOST GOSTKernels \
            HostCrypto HostProcess KanalKit KanalXML Locking Logging PCSC Secrets SecureChannel Storage Token TokenEnd Tokens Translation VirtualReaders) \
        -o "$directory/fuzz"
}

case $source in
    *.c) build_provider ;;
    *) build_swift ;;
esac
# shellcheck disable=SC2046
SWIFT_BACKTRACE=enable=no "$directory/fuzz" -max_total_time="$1" -max_len=$longest -len_control=0 -timeout=20 \
    -print_final_stats=1 -verbosity=0 -artifact_prefix="$directory/" \
    $([ ! -e "$dictionary" ] || echo "-dict=$dictionary") "$directory/corpus" "$directory/kept"
if [ "$2" = keep ]; then
    "$directory/fuzz" -merge=1 -use_counters=0 -max_len=$longest "$directory/kept" "$directory/corpus"
    Tests/Fuzz/corpus.sh pack "$target"
fi
echo "$target: $(sed -n 's/^stat::number_of_executed_units: *//p' "$directory/log") inputs" >&3
