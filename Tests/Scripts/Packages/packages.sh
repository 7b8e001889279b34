#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The packages of "make deb" in a Debian 12 that has nothing of this tree: installed, upgraded from the release before,
# tried, removed and purged. What the user has made stays, and nothing else does.
#
# KANAL_BEFORE is the directory with the packages of the release before. Without it they are made of those of this one,
# with an older version and other words in the file of settings.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. Tests/Scripts/Packages/chroot.sh
isolate "$@"
. Tests/Scripts/common.sh

names=(libkanal-pkcs11 libkanal-dev kanal kanal-emulator kanal-openssl-engine kanal-openssl-provider)
version=$(dpkg-deb --field "$packages"/kanal_*.deb Version)

# Makes packages that are older.
make_older() {
    local file older
    mkdir "$work/before"
    for file in "$packages"/*.deb; do
        older=$work/older
        rm -rf "$older"
        dpkg-deb --raw-extract "$file" "$older"
        sed -i "s/^Version: .*/Version: 0.0.1/; s/(= $version)/(= 0.0.1)/" "$older/DEBIAN/control"
        [ ! -e "$older/etc/kanal" ] || sed -i 's/^# Settings of/# The settings of/' "$older/etc/kanal/kanal.conf"
        dpkg-deb --root-owner-group -Znone --build "$older" "$work/before" > /dev/null
    done
}

# All files but those in which Debian itself writes down what it does. Accounts stay, as Debian wants it: files may
# belong to them.
files() {
    (cd "$debian" && find . -xdev \( -path ./proc -o -path ./run -o -path ./tmp -o -path ./packages -o -path ./tree \
        -o -path ./var/lib/dpkg -o -path ./var/lib/apt -o -path ./var/log -o -path ./var/cache \) -prune -o -print | sort)
}

state() { inside dpkg-query --show --showformat='${db:Status-Status} ${Version}' "$1" 2> /dev/null || echo none; }

all_are() {
    local name
    for name in "${names[@]}"; do
        [ "$(state "$name")" = "$1" ] || fail "$name: $(state "$name"), and not $1"
    done
}

make_debian
cd "$work"
files > before-all
[ -n "${KANAL_BEFORE:-}" ] || { make_older; KANAL_BEFORE=$work/before; }

install_packages "$KANAL_BEFORE"
before=$(state kanal)
all_are "$before"
[ "${before#installed }" != "$version" ] || fail "the release before has the same version"
for account in kanal-share kanal-emulator; do
    succeeds getent passwd "$account"
    printed ":/var/lib/$account:/usr/sbin/nologin"
done
passed "installed: ${before#installed }"

echo "hide_gost_keys = off" >> "$debian/etc/kanal/kanal.conf"
install -d "$debian/etc/kanal/shares" "$debian/var/lib/kanal/groups/accounting"
echo 'OPTIONS=--port 35963' > "$debian/etc/kanal/shares/office.conf"
install_packages "$packages"
all_are "installed $version"
[ "$(tail -n 1 "$debian/etc/kanal/kanal.conf")" = "hide_gost_keys = off" ] || fail "the administrator's line is lost"
[ -e "$debian/etc/kanal/kanal.conf.dpkg-dist" ] || fail "the new file of settings is not beside the old one"
passed "upgraded to $version: the administrator's settings have stayed"

succeeds dpkg --verify "${names[@]}"
[ -z "$(grep -v ' c /etc/kanal/kanal.conf$' output)" ] || fail "changed files: $(cat output)"
library=$(cd "$debian" && ls usr/lib/*/libkanal-pkcs11.so)
succeeds ldd -r "/$library"
! grep -q -e 'not found' -e undefined output || fail "$(cat output)"
for program in kanal kanal-emulator; do
    succeeds $program --version
    printed "^$version$"
done
succeeds sh -c '! grep -rIl -e /usr/local/lib -e "$0" /usr/share/doc/kanal /usr/share/doc/libkanal* /etc/kanal' "$root"
passed "the programs run; nothing names a folder of the machine that has built them"

# Inventories belong to the files that are there.
for file in /$library /usr/bin/kanal /usr/bin/kanal-emulator; do
    inventory=$debian/usr/share/doc/kanal/$(basename "$file" .so).spdx.json
    grep -q "$(sha256sum "$debian$file" | cut -d ' ' -f 1)" "$inventory" || fail "$inventory is another file's"
done
passed "each file with a runtime of its own has an inventory of what it is linked with"

copy_tree
for name in demo module engine provider development; do
    succeeds sh -c 'cd /tree && exec Packaging/debian/tests/$0' $name
    passed "Packaging/debian/tests/$name"
done

# Loading, beside SoftHSM2's package: the median of 21 processes each, in turns.
succeeds cc -O2 -I/tree/Include/CCryptoki -I/usr/include/kanal $(inside pkg-config --cflags kanal-pkcs11) \
    /tree/Benchmarks/Module/module.c -o /tmp/module
load() { inside /tmp/module "$1" load | sed -n 's/^load \([0-9.]*\) .*/\1/p'; }
for _ in {1..21}; do
    load libkanal-pkcs11.so >> own
    load /usr/lib/softhsm/libsofthsm2.so >> other
done
own=$(sort -n own | sed -n 11p)
other=$(sort -n other | sed -n 11p)
ratio=$(awk -v own="$own" -v other="$other" 'BEGIN { printf "%.2f", own / other }')
awk -v ratio="$ratio" 'BEGIN { exit !(ratio > 0 && ratio < 1) }' \
    || fail "the module loads slower than SoftHSM2: $own and $other µs"
passed "a process that loads the module takes $own µs, with SoftHSM2's package $other µs: $ratio"

inside kanal doctor --json > doctor 2>&1 || true
grep -q '"pcscd\.' doctor || fail "kanal doctor has not looked: $(cat doctor)"
! grep -e '"library\.' -e '"p11kit\.' doctor || fail "kanal doctor finds fault with the packages: $(cat doctor)"
passed "kanal doctor finds no fault with what is installed"

succeeds apt-get remove -y "${names[@]}"
all_are_gone=$(files | grep -e libkanal -e bin/kanal -e engines-3/kanal -e kanal.module -e systemd/system/kanal || true)
[ -z "$all_are_gone" ] || fail "left after the removal: $all_are_gone"
[ -e "$debian/etc/kanal/kanal.conf" ] || fail "the settings are removed before they are purged"
passed "removed: the settings have stayed"

succeeds dpkg --purge "${names[@]}"
files > after-all
left=$(comm -13 before-all after-all | xargs)
wanted="./etc/kanal ./etc/kanal/shares ./etc/kanal/shares/office.conf"
wanted+=" ./var/lib/kanal ./var/lib/kanal/groups ./var/lib/kanal/groups/accounting"
[ "$left" = "$wanted" ] || fail "left after the purge: $left"
[ -z "$(comm -23 before-all after-all)" ] || fail "gone with the purge: $(comm -23 before-all after-all)"
passed "purged: nothing is left but what the user has made"
