#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# "make install" installs what a program needs to be compiled, linked and run, and "make uninstall" removes it.
# bats file_tags=alone
load ../common

prefix=$work/own
own=(PREFIX="$prefix" P11KIT_MODULES_DIR="$prefix/share/p11-kit/modules")
stage=$work/stage
modules=$(pkg-config p11-kit-1 --variable=p11_module_configs)

# A prefix of one's own, whatever the installer's umask is.
setup_file() {
    cd "$root"
    (umask 077 && make -s install "${own[@]}" > /dev/null)
}

setup() { cd "$root"; }

# The files and links under a directory.
files() { (cd "$1" && find . ! -type d | sort); }

@test "everybody can read what is installed, with a manual page for each command" {
    local commands name folder
    [ -z "$(find "$prefix" ! -perm -o=r)" ] || fail "not for everybody: $(find "$prefix" ! -perm -o=r)"
    commands=$("$prefix/bin/kanal" help | sed -n 's/^  \([a-z]*\) .*/\1/p')
    [ -n "$commands" ] || fail "no commands: $("$prefix/bin/kanal" help)"
    for name in $commands; do
        for folder in man man/ru; do
            [ -s "$prefix/share/$folder/man1/kanal-$name.1" ] || fail "no manual page of kanal $name in $folder"
        done
    done
}

@test "what is installed is what the list says, and the page for users names each" {
    local page named place file
    make -s files "${own[@]}" > "$work/listed"
    diff <(cut -d ' ' -f 2 "$work/listed" | sort) <(find "$prefix" ! -type d | sort) > "$work/lint" || fail "$(cat "$work/lint")"
    [ "$(wc -l < "$work/listed")" -gt 50 ] || fail "few files are listed: $(cat "$work/listed")"
    page=$(sed -n 's/^| \(`.*\) | .*/\1/p' docs/Start/Installing.md | grep -o '`[^`]*`' | tr -d '`')
    while read -r _ file; do
        named=
        for place in $page; do
            case ${file#"$prefix"/} in "$place" | "$place"/* | */"$place") named=yes ;; esac
        done
        [ -n "$named" ] || fail "docs/Start/Installing.md does not name $file"
    done < "$work/listed"
}

@test "the flags of pkg-config suffice to compile, link and run" {
    local flags example name
    export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
    read -ra flags <<< "$(pkg-config --cflags --libs kanal-pkcs11)"
    cc "Tests/Programs/Module/linked.c" "${flags[@]}" -o "$work/linked"
    "$work/linked" || fail "the linked program exits with $?"
    cc Tests/Programs/Token/pairings.c "${flags[@]}" -o "$work/pairings" || fail "a program with kanal.h cannot be built"
    for example in Examples/*.c; do
        cc "$example" "${flags[@]}" -o "$work/example" || fail "$example cannot be built"
    done
    grep -qx "module: $prefix/lib/libkanal-pkcs11.so" "$prefix/share/p11-kit/modules/kanal.module" \
        || fail "the module file names another library"
    for name in kanal kanal-emulator; do
        [ "$("$prefix/bin/$name" --version)" = "$(pkg-config --modversion kanal-pkcs11)" ] \
            || fail "$name has another version than the library"
    done
}

@test "OpenSSL's engine and provider start" {
    cd "$work"
    OPENSSL_ENGINES=$prefix/lib/engines-3 expect 0 openssl engine -t kanal
    printed '\[ available \]'
    OPENSSL_CONF=$prefix/share/doc/kanal/kanal-provider.cnf OPENSSL_MODULES=$prefix/lib/ossl-modules \
        expect 0 openssl list -providers
    printed 'Kanal: keys'
}

# The emulator refuses what it cannot do, with the reason.
refused() {
    timeout 20 "$prefix/bin/kanal-emulator" "${@:2}" > output 2>&1 && fail "not refused: ${*:2}"
    printed "^Error: .*$1"
}

@test "what the emulator cannot do it refuses, with the reason" {
    cd "$work"
    refused "Missing expected argument '--identity"
    refused "The value 'foo' is invalid" --identity foo
    refused "no secure channel" --identity usb --sessions 2
    refused "no secure channel" --identity usb --activation-password 1BCD-EFGH-JKLM-NPQR
    refused "an activation password is" --identity bt --activation-password 1BCD
    refused "8 or 16 hexadecimal digits" --identity bt --serial xyz
    refused "group or others have access" --identity bt --state /etc
    refused "numeric IPv4 address" --identity bt --host localhost
    refused "no virtual reader at 127.0.0.1:1" --identity bt --port 1 --wait 0
}

@test "the manual is well-formed, and names every option and every key" {
    local page option key
    "$prefix/bin/kanal-emulator" --help > "$work/help"
    for page in "$prefix"/share/man/man*/*; do
        mandoc -T lint -W warning "$page" > "$work/lint" || fail "$page: $(cat "$work/lint")"
    done

    for option in $(grep -o -e '--[a-z][a-z-]*' "$work/help" | sort -u); do
        grep -q "Fl ${option#-}\b" "$prefix/share/man/man1/kanal-emulator.1" || fail "the manual lacks $option"
    done
    for key in $(sed -n 's/^#\([a-z_]*\) =.*/\1/p' "$prefix/share/doc/kanal/kanal.conf"); do
        grep -qx ".It Cm $key" "$prefix/share/man/man5/kanal.conf.5" || fail "the manual lacks $key"
    done
}

# mandoc(1) knows the sections by their English names alone.
@test "pages in another language have the same subjects as the English ones, and the command finds its catalogue" {
    local page subjects
    for page in "$prefix"/share/man/ru/man*/*; do
        mandoc -T lint -W warning "$page" | grep -v 'first section is not "NAME"\|description line outside NAME section' > "$work/lint" \
            && fail "$page: $(cat "$work/lint")"
        subjects='Fl [a-z -]*[a-z]\|It Cm [a-z_-]*\|It Ev [A-Z_]*\|Xr [a-z.-]* [0-9]'
        diff <(grep -o "$subjects" "$page") <(grep -o "$subjects" "${page/man\/ru/man}") > "$work/lint" \
            || fail "$page is not about the same: $(cat "$work/lint")"
    done
    LC_ALL=C.UTF-8 LANGUAGE=ru "$prefix/bin/kanal" --help | grep -q '^ОБЗОР: ' || fail "no Russian"
}

@test "the vendor's name is a link, laid down on demand; a file that is not ours stays" {
    make -s install "${own[@]}" COMPAT=1 > /dev/null
    [ "$(readlink "$prefix/lib/librtpkcs11ecp.so")" = libkanal-pkcs11.so ] || fail "COMPAT=1 makes no link"
    make -s uninstall "${own[@]}" > /dev/null
    [ -z "$(ls -A "$prefix")" ] || fail "left behind: $(find "$prefix")"
    mkdir "$prefix/lib"
    echo vendor > "$prefix/lib/librtpkcs11ecp.so"
    ! make -s install "${own[@]}" COMPAT=1 > /dev/null 2>&1 || fail "COMPAT=1 takes the place of a foreign library"
    make -s uninstall "${own[@]}" > /dev/null
    [ "$(cat "$prefix/lib/librtpkcs11ecp.so")" = vendor ] || fail "uninstall removes a foreign library"

    rm -r "$prefix"
    setup_file
}

@test "no path that is written down knows of a staging directory; p11-kit's own directory takes the module file" {
    local engines providers
    make -s install PREFIX=/usr DESTDIR="$stage" > /dev/null
    engines=$(pkg-config libcrypto --variable=enginesdir)
    [ -s "$stage$engines/kanal.so" ] || fail "no engine in $engines"
    providers=$(pkg-config libcrypto --variable=modulesdir)
    [ -s "$stage$providers/kanal.so" ] || fail "no provider in $providers"
    grep -qx "module: /usr/lib/libkanal-pkcs11.so" "$stage$modules/kanal.module" || fail "no module file in $modules"
    ! grep -rqI "$stage" "$stage" || fail "the staging directory is written down"
    ! grep -q rpath "$stage/usr/lib/pkgconfig/kanal-pkcs11.pc" || fail "a run path for a directory of the system"
    make -s uninstall PREFIX=/usr DESTDIR="$stage" > /dev/null
    [ -z "$(files "$stage")" ] || fail "left behind: $(files "$stage")"
}

@test "for packages there are the system's place for libraries, the administrator's file, and inventories of what is installed" {
    local file name inventory component
    make -s install PREFIX=/usr LIBDIR=/usr/lib64 PACKAGE=1 DESTDIR="$stage" > /dev/null
    [ -s "$stage/etc/kanal/kanal.conf" ] || fail "no file for the administrator"
    [ -s "$stage/usr/lib64/libkanal-pkcs11.so" ] || fail "no library in LIBDIR"
    grep -qx "module: /usr/lib64/libkanal-pkcs11.so" "$stage$modules/kanal.module" || fail "the module is not in LIBDIR"
    grep -qx 'libdir=${prefix}/lib64' "$stage/usr/lib64/pkgconfig/kanal-pkcs11.pc" || fail "pkg-config does not know LIBDIR"
    for file in "$stage"/usr/{lib64/libkanal-pkcs11.so,bin/kanal,bin/kanal-emulator}; do
        name=$(basename "$file" .so)
        inventory=$stage/usr/share/doc/kanal/$name.spdx.json
        grep -q "\"checksumValue\" : \"$(sha256sum "$file" | cut -d ' ' -f 1)\"" "$inventory" || fail "$inventory: another file's"
        for component in swift swift-corelibs-libdispatch llvm-support libc.so.6; do
            grep -q "\"name\" : \"$component\"" "$inventory" || fail "$inventory lacks $component"
        done
        grep -q '^ *Apache License' "$stage/usr/share/doc/kanal/$name.notices.txt" || fail "no licences of $name"
    done
    grep -q '"name" : "swift-argument-parser"' "$stage/usr/share/doc/kanal/kanal.spdx.json" || fail "a package is missing"
    ! grep -q 'argument-parser' "$stage/usr/share/doc/kanal/libkanal-pkcs11.spdx.json" || fail "a package is too many"
    ! grep -rqI "$stage" "$stage" || fail "the staging directory is written down"
}
