#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# "make install" lays down what a program needs to be compiled, linked and run, and "make uninstall" takes it away.
set -euo pipefail
cd "$(dirname "$0")/../.."
. Tests/Scripts/common.sh

# The files and links under a directory.
files() {
    (cd "$1" && find . ! -type d | sort)
}

program=Tests/Programs/Module/linked.c
# A prefix of one's own: the flags of pkg-config suffice to compile, link and run. Whatever the installer's umask is,
# everybody can read what is installed.
prefix=$work/own
own=(PREFIX="$prefix" P11KIT_MODULES_DIR="$prefix/share/p11-kit/modules")
(umask 077 && make -s install "${own[@]}" > /dev/null)
[ -z "$(find "$prefix" ! -perm -o=r)" ] || fail "not for everybody: $(find "$prefix" ! -perm -o=r)"
# A page for each command.
commands=$("$prefix/bin/kanal" help | sed -n 's/^  \([a-z]*\) .*/\1/p')
[ -n "$commands" ] || fail "no commands: $("$prefix/bin/kanal" help)"
for name in $commands; do
    for folder in man man/ru; do
        [ -s "$prefix/share/$folder/man1/kanal-$name.1" ] || fail "no manual page of kanal $name in $folder"
    done
done
# What is there is what the list says, no more and no less, and the page for users names each.
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
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
read -ra flags <<< "$(pkg-config --cflags --libs kanal-pkcs11)"
cc "$program" "${flags[@]}" -o "$work/linked"
"$work/linked" || fail "the linked program exits with $?"
cc Tests/Programs/Token/pairings.c "${flags[@]}" -o "$work/pairings" || fail "a program with kanal.h cannot be built"
for example in Examples/*.c; do
    cc "$example" "${flags[@]}" -o "$work/example" || fail "$example cannot be built"
done
grep -qx "module: $prefix/lib/libkanal-pkcs11.so" "$prefix/share/p11-kit/modules/kanal.module" \
    || fail "the module file names another library"
"$prefix/bin/kanal-emulator" --help > "$work/help" || fail "the emulator does not run"

for name in kanal kanal-emulator; do
    [ "$("$prefix/bin/$name" --version)" = "$(pkg-config --modversion kanal-pkcs11)" ] \
        || fail "$name has another version than the library"
done

OPENSSL_ENGINES=$prefix/lib/engines-3 openssl engine -t kanal > "$work/engine" 2>&1 || fail "no engine: $(cat "$work/engine")"
grep -q '\[ available \]' "$work/engine" || fail "the engine does not start: $(cat "$work/engine")"
OPENSSL_CONF=$prefix/share/doc/kanal/kanal-provider.cnf OPENSSL_MODULES=$prefix/lib/ossl-modules openssl list -providers \
    > "$work/providers" 2>&1 || fail "no provider: $(cat "$work/providers")"
grep -q 'Kanal: keys' "$work/providers" || fail "the provider does not start: $(cat "$work/providers")"

# What the emulator cannot do it refuses, with the reason.
refused() {
    if timeout 20 "$prefix/bin/kanal-emulator" "${@:2}" > "$work/refusal" 2>&1; then fail "not refused: ${*:2}"; fi
    grep -q -e "^Error: .*$1" "$work/refusal" || fail "no \"$1\" in: $(cat "$work/refusal")"
}
refused "Missing expected argument '--identity"
refused "The value 'foo' is invalid" --identity foo
refused "no secure channel" --identity usb --sessions 2
refused "no secure channel" --identity usb --activation-password 1BCD-EFGH-JKLM-NPQR
refused "an activation password is" --identity bt --activation-password 1BCD
refused "8 or 16 hexadecimal digits" --identity bt --serial xyz
refused "group or others have access" --identity bt --state /etc
refused "numeric IPv4 address" --identity bt --host localhost
refused "no virtual reader at 127.0.0.1:1" --identity bt --port 1 --wait 0

for page in "$prefix"/share/man/man*/*; do
    mandoc -T lint -W warning "$page" > "$work/lint" || fail "$page: $(cat "$work/lint")"
done

# Pages in another language: mandoc(1) knows the sections by their English names alone. They have the same subjects as the
# English ones, and the command finds its catalogue where it is installed.
for page in "$prefix"/share/man/ru/man*/*; do
    mandoc -T lint -W warning "$page" | grep -v 'first section is not "NAME"\|description line outside NAME section' > "$work/lint" \
        && fail "$page: $(cat "$work/lint")"
    subjects='Fl [a-z -]*[a-z]\|It Cm [a-z_-]*\|It Ev [A-Z_]*\|Xr [a-z.-]* [0-9]'
    diff <(grep -o "$subjects" "$page") <(grep -o "$subjects" "${page/man\/ru/man}") > "$work/lint" \
        || fail "$page is not about the same: $(cat "$work/lint")"
done
LC_ALL=C.UTF-8 LANGUAGE=ru "$prefix/bin/kanal" --help | grep -q '^ОБЗОР: ' || fail "no Russian"

# The manual says what the program and the example say: every option, every key.
for option in $(grep -o -e '--[a-z][a-z-]*' "$work/help" | sort -u); do
    grep -q "Fl ${option#-}\b" "$prefix/share/man/man1/kanal-emulator.1" || fail "the manual lacks $option"
done
for key in $(sed -n 's/^#\([a-z_]*\) =.*/\1/p' "$prefix/share/doc/kanal/kanal.conf"); do
    grep -qx ".It Cm $key" "$prefix/share/man/man5/kanal.conf.5" || fail "the manual lacks $key"
done

# The vendor's name is a link, laid down on demand; a file that is not ours stays.
make -s install "${own[@]}" COMPAT=1 > /dev/null
[ "$(readlink "$prefix/lib/librtpkcs11ecp.so")" = libkanal-pkcs11.so ] || fail "COMPAT=1 makes no link"
make -s uninstall "${own[@]}" > /dev/null
[ -z "$(ls -A "$prefix")" ] || fail "left behind: $(find "$prefix")"
mkdir "$prefix/lib"
echo vendor > "$prefix/lib/librtpkcs11ecp.so"
! make -s install "${own[@]}" COMPAT=1 > /dev/null 2>&1 || fail "COMPAT=1 takes the place of a foreign library"
make -s uninstall "${own[@]}" > /dev/null
[ "$(cat "$prefix/lib/librtpkcs11ecp.so")" = vendor ] || fail "uninstall removes a foreign library"

# A staging directory: no path that is written down knows of it; p11-kit's own directory takes the module file.
stage=$work/stage
make -s install PREFIX=/usr DESTDIR="$stage" > /dev/null
modules=$(pkg-config p11-kit-1 --variable=p11_module_configs)
engines=$(pkg-config libcrypto --variable=enginesdir)
[ -s "$stage$engines/kanal.so" ] || fail "no engine in $engines"
providers=$(pkg-config libcrypto --variable=modulesdir)
[ -s "$stage$providers/kanal.so" ] || fail "no provider in $providers"
grep -qx "module: /usr/lib/libkanal-pkcs11.so" "$stage$modules/kanal.module" || fail "no module file in $modules"
! grep -rqI "$stage" "$stage" || fail "the staging directory is written down"
! grep -q rpath "$stage/usr/lib/pkgconfig/kanal-pkcs11.pc" || fail "a run path for a directory of the system"
make -s uninstall PREFIX=/usr DESTDIR="$stage" > /dev/null
[ -z "$(files "$stage")" ] || fail "left behind: $(files "$stage")"

# For packages: the system's place for libraries, the administrator's file, and inventories of what is installed.
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

echo "install.sh: passed"
