#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The hardening of the installed files: the loader resolves everything at once, and what it has
# written, and all constants, are read-only from then on; no page is writable and executable; C has canaries and marks
# for indirect jumps. And none of the files wants more than glibc 2.34 and the C++ library of GCC 11.
# bats file_tags=pcscd
load ../common

prefix=$work/installed

setup_file() { (cd "$root" && PREFIX=$prefix P11KIT_MODULES_DIR=$work/modules Packaging/install.sh install > /dev/null); }

@test "everything is resolved at once, and read-only but for what is written" {
    local file name expected begin size writable section address count flags
    for file in "$prefix/lib/libkanal-pkcs11.so" "$prefix/bin/kanal-emulator" "$prefix/lib/engines-3/kanal.so" "$prefix/lib/ossl-modules/kanal.so"; do
        name=${file##*/}
        expected=".bss .data .tm_clone_table swift5_backtrace"
        [ $name != kanal.so ] || expected=".bss .data"
        readelf --dynamic --program-headers --sections --wide "$file" > "$work/elf"
        grep -q '(FLAGS_1).* NOW' "$work/elf" || fail "$name: functions are resolved when they are called"
        grep -Eq 'Type: +DYN' <(readelf --file-header "$file") || fail "$name: lies at the same place always"
        grep -q '^  GNU_STACK .* RW  ' "$work/elf" || fail "$name: the stack is executable"
        ! grep -q '^  [A-Z_]* .* RWE ' "$work/elf" || fail "$name: what is writable is executable"
        # Sections that can be written outside of what the loader protects. The Swift runtime protects its own.
        read -r begin size < <(sed -n 's/^  GNU_RELRO  *[^ ]* \([^ ]*\) [^ ]* [^ ]* \([^ ]*\) .*/\1 \2/p' "$work/elf") \
            || fail "$name: nothing is protected by the loader"
        writable=
        while read -r section address count flags; do
            [[ $flags == *W* && $flags != *T* ]] || continue
            ((16#$address >= begin && 16#$address + 16#$count <= begin + size)) || writable+="$section "
        done < <(sed -n 's/^  \[ *[0-9]*\] \([^ ]*\) *[A-Z_0-9]* *\([0-9a-f]\{16\}\) [0-9a-f]* \([0-9a-f]*\) [0-9a-f]* *\([A-Za-z]*\) .*/\1 \2 \3 \4/p' \
            "$work/elf")
        [ "$(sort <<< "${writable// /$'\n'}" | xargs)" = "$expected" ] \
            || fail "$name: these can be written: $writable"
        grep -q '\] \.rodata ' "$work/elf" || fail "$name: no constants"
    done
}

# newest FILE NAME: the newest version of a library's symbols that a file wants.
newest() { readelf --version-info --wide "$1" | sed -n "s/.* Name: \($2_[A-Z0-9_.]*\) .*/\1/p" | sort --version-sort | tail -n 1; }
@test "no file wants more than glibc 2.34 and the C++ library of GCC 11" {
    local file limit version
    for file in "$prefix"/lib/libkanal-pkcs11.so "$prefix"/bin/kanal{,-emulator} "$prefix/lib/engines-3/kanal.so" "$prefix/lib/ossl-modules/kanal.so"; do
        for limit in GLIBC_2.34 GLIBCXX_3.4.29; do
            version=$(newest "$file" ${limit%%_*})
            # Versions without a number, as GLIBC_ABI_DT_RELR, are sorted behind all numbers.
            [ "$(printf '%s\n' $limit "$version" | sort --version-sort | tail -n 1)" = $limit ] \
                || fail "${file##*/} wants $version: $(nm --dynamic "$file" | grep "@$version" | xargs)"
        done
    done
}

@test "exceptions and hypotf do without glibc 2.35" {
    local flags source
    flags=(-O2 -Wall -Wextra -Werror)
    for source in "$root"/Sources/CGlibc/*.c; do cc "${flags[@]}" -I"$root/Sources/CGlibc/include" -c "$source" -o "$work/$(basename "$source" .c).o"; done
    g++ "${flags[@]}" -fno-builtin -static-libgcc -static-libstdc++ "$root"/Tests/Programs/Module/glibc.cpp "$work"/{hypotf,find_object}.o \
        -Wl,--wrap=hypotf,--wrap=_dl_find_object -o "$work/glibc"
    refute grep -w _dl_find_object <(nm --dynamic glibc)
    "$work/glibc" || fail "what takes the place of glibc's functions is not the same: $?"
}

@test "the library has neither an engine of regular expressions nor the names of characters" {
    nm "$products/libkanal-pkcs11.so" > "$work/symbols"
    grep -q -w swift_retain "$work/symbols" || fail "the library has no symbols to look at"
    refute grep -c -e _StringProcessing -e _swift_stdlib_names "$work/symbols"
}

@test "C has canaries, and marks for indirect jumps" {
    local objects object marks
    mapfile -t objects < <(find "$products"/{CProcess,CGlibc,COpenSSL,CReserve,CXML,GOSTKernels,CModule}.build -name "*.o")
    case $(uname -m) in
        x86_64) marks='IBT, SHSTK' ;;
        aarch64) marks='BTI, PAC' ;;
        *) marks= ;;
    esac
    for object in "${objects[@]}"; do
        [ -z "$marks" ] || grep -q "$marks" <(readelf --notes "$object") || fail "${object##*/} does not say where jumps may go"
    done
    nm "${objects[@]}" > "$work/names"
    grep -q 'U __stack_chk_fail' "$work/names" || fail "no stack frame has a canary"
}
