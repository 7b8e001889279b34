#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs, removes or lists the files of Packaging/files.txt: "make install", "make uninstall" and "make files", which give it
# their variables.
#
#   Packaging/install.sh install|uninstall|list
#
# PREFIX, LIBDIR, UNITS_DIR, ENGINES_DIR, MODULES_DIR and P11KIT_MODULES_DIR are directories of the system that is
# installed for; DESTDIR is before each, and in no file. COMPAT=1 installs the library under the vendor's name, too,
# PACKAGE=1 what packages have besides. RUN is a command that runs programs of another processor, STRIP that processor's
# strip(1). "list" prints a package and a file on each line: of what is installed, what the manifest names.
set -euo pipefail
umask 022
cd "$(dirname "$0")/.."

destination=${DESTDIR:-}
prefix=$(realpath -ms "${PREFIX:-/usr/local}")
lib=$(realpath -ms "${LIBDIR:-$prefix/lib}")
share=$prefix/share
units=${UNITS_DIR:-$prefix/lib/systemd/system}
command=.build/release/kanal
version=$(sed -n 's/^#define KANAL_VERSION_[A-Z]* //p' Include/CVersion/CVersion.h | paste -sd.)
read -ra run <<< "${RUN:-}"

# A directory that a library's description for pkg-config names, as it is on the system that is installed for.
named() {
    local place
    place=$(pkg-config "$1" --variable="$2" 2> /dev/null) || true
    echo "${place#"${PKG_CONFIG_SYSROOT_DIR:-}"}"
}
is_system=
engines=$lib/engines-3
modules=$lib/ossl-modules
run_path=" -Wl,-rpath,\${libdir}"
case $prefix in
/usr | /usr/local)
    is_system=yes
    run_path=
    engines=$(named libcrypto enginesdir)
    modules=$(named libcrypto modulesdir)
    ;;
esac
engines=${ENGINES_DIR:-${engines:-$lib/engines-3}}
modules=${MODULES_DIR:-${modules:-$lib/ossl-modules}}
# The module file is under PREFIX with everything else, and in the one directory that p11-kit reads, if that is allowed.
p11kit=$share/p11-kit/modules
if [ -n "${P11KIT_MODULES_DIR:-}" ]; then
    p11kit+=" $P11KIT_MODULES_DIR"
elif [ -n "$is_system$destination" ] || [ "$(id -u)" = 0 ]; then
    place=$(named p11-kit-1 p11_module_configs)
    p11kit+=" ${place:-/usr/share/p11-kit/modules}"
fi
# The link to the library by the vendor's name, ours if it exists and points to the library.
compat=$destination$lib/librtpkcs11ecp.so
is_ours() { [ "$(readlink "$compat")" = libkanal-pkcs11.so ]; }

# Prints package, how, file and source of each row that counts, with paths in place of their names.
rows() {
    local package how file source directory
    while read -r package how file source; do
        case $package in '' | '#'*) continue ;; esac
        case $how in inventory | settings) [ -n "${PACKAGE:-}" ] || continue ;; esac
        for directory in prefix lib share units engines modules; do
            file=${file/#"\$$directory/"/"${!directory}/"}
            source=${source/#"\$$directory/"/"${!directory}/"}
        done
        # shellcheck disable=SC2086
        case $file in
        '$p11kit'/*) printf '%s\n' $p11kit | sort -u | sed "s|.*|$package $how &/${file#*/} $source|" ;;
        *) echo "$package $how $file $source" ;;
        esac
    done < Packaging/files.txt
}

install_row() {
    local how=$2 file=$destination$3 source=$4
    case $how in
    program) install -D --strip ${STRIP:+--strip-program="$STRIP"} "$source" "$file" ;;
    file | settings) install -D -m 644 "$source" "$file" ;;
    catalogue) install -D -m 644 ".build/release/../share/locale/$source/LC_MESSAGES/kanal.mo" "$file" ;;
    placed)
        mkdir -p "${file%/*}"
        sed "s|/usr/local/lib|$lib|" "$source" > "$file"
        ;;
    filled)
        mkdir -p "${file%/*}"
        sed "s|@PREFIX@|$prefix|; s|@LIBDIR@|$lib|; s|@LIB@|${lib#"$prefix/"}|; s|@VERSION@|$version|; s|@RPATH@|$run_path|" \
            "$source" > "$file"
        ;;
    completion)
        mkdir -p "${file%/*}"
        "${run[@]}" $command completion "$source" | sed '1{/^#!/d}' > "$file"
        ;;
    manual)
        mkdir -p "$file"
        LANGUAGE=${source#en} "${run[@]}" $command --experimental-dump-help \
            | Packaging/manual.py "$version" "$file" ${source#en}
        ;;
    inventory)
        # One call writes both files.
        [[ $file != *.json ]] || Packaging/inventory.py "$version" ".build/release/${source##*/}" "$destination$source" "${file%/*}"
        ;;
    *) echo "Packaging/files.txt: \"$how\" is not a way to make $file" >&2; exit 1 ;;
    esac
}

# The pages of the command that are there: a page with a row of its own is left out.
pages() { find "$destination$1" -name 'kanal.1' -o -name 'kanal-*.1' ! -name kanal-emulator.1 2> /dev/null | sort; }

# Prints package and file of each row that is installed.
list() {
    local package how file source page
    while read -r package how file source; do
        if [ "$how" = manual ]; then
            for page in $(pages "$file"); do echo "$package ${page#"$destination"}"; done
        else
            echo "$package $file"
        fi
    done < <(rows)
}

case ${1:-} in
install)
    if [ -n "${COMPAT:-}" ] && [ -e "$compat" ] && ! is_ours; then
        echo "$compat exists and is not Kanal's" >&2
        exit 1
    fi
    rows | while read -r row; do
        # shellcheck disable=SC2086
        install_row $row
    done
    [ -z "${COMPAT:-}" ] || ln -sf libkanal-pkcs11.so "$compat"
    ;;
uninstall)
    if is_ours; then rm "$compat"; fi
    # Directories that are left empty: only Kanal's, if the system expects the others.
    list | while read -r _ file; do
        rm -f "$destination$file"
        if [ -z "$is_system" ] || [ -n "$destination" ] || [[ ${file%/*} == */kanal ]]; then
            directory=${file%/*}
            while [ -n "$directory" ] && [ "$directory" != "$prefix" ] && rmdir "$destination$directory" 2> /dev/null; do directory=${directory%/*}; done
        fi
    done
    ;;
list) list ;;
*) echo "usage: Packaging/install.sh install|uninstall|list" >&2; exit 64 ;;
esac
if [ "$1" != list ] && [ -n "$is_system" ] && [ -z "$destination" ]; then ldconfig; fi
