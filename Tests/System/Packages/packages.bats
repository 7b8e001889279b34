#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The packages of "make deb" in a Debian 12 that has nothing of this tree: installed, upgraded from the release before,
# tried, removed and purged. The user's own files stay, and nothing else does.
#
# KANAL_BEFORE is the directory with the packages of the release before. Without it they are made from this release's,
# with an older version and other words in the file of settings.
# bats file_tags=night
load ../common
load chroot

names=(libkanal-pkcs11 libkanal-dev kanal kanal-emulator kanal-openssl-engine kanal-openssl-provider)

setup_file() {
    local before=$work/before state_before
    [ -z "${KANAL_BEFORE:-}" ] || before=$(realpath "$KANAL_BEFORE")
    make_debian
    copy_tree
    version=$(dpkg-deb --field "$packages"/kanal_*.deb Version)
    keep version
    files > before-all
    [ -n "${KANAL_BEFORE:-}" ] || make_older
    install_packages "$before"
    state_before=$(state kanal)
    all_are "$state_before"
    [ "${state_before#installed }" != "$version" ] || fail "the release before has the same version"

    echo "hide_gost_keys = off" >> "$debian/etc/kanal/kanal.conf"
    install -d "$debian/etc/kanal/shares" "$debian/var/lib/kanal/groups/accounting"
    echo 'OPTIONS=--port 35963' > "$debian/etc/kanal/shares/office.conf"
    install_packages "$packages"
}

# Makes packages that are older.
make_older() {
    local file older=$work/older
    mkdir "$work/before"
    for file in "$packages"/*.deb; do
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
    (cd "$debian" && find . \( -path ./proc -o -path ./run -o -path ./tmp -o -path ./packages -o -path ./tree \
        -o -path ./var/lib/dpkg -o -path ./var/lib/apt -o -path ./var/log -o -path ./var/cache \) -prune -o -print | sort)
}

state() { inside dpkg-query --show --showformat='${db:Status-Status} ${Version}' "$1" 2> /dev/null || echo none; }

all_are() {
    local name
    for name in "${names[@]}"; do
        [ "$(state "$name")" = "$1" ] || fail "$name: $(state "$name"), and not $1"
    done
}

@test "an upgrade keeps the administrator's settings" {
    all_are "installed $version"
    [ "$(tail -n 1 "$debian/etc/kanal/kanal.conf")" = "hide_gost_keys = off" ] || fail "the administrator's line is lost"
    [ -e "$debian/etc/kanal/kanal.conf.dpkg-dist" ] || fail "the new file of settings is not beside the old one"
}

@test "services have accounts of their own" {
    local account
    for account in kanal-share kanal-emulator; do
        succeeds getent passwd "$account"
        printed ":/var/lib/$account:/usr/sbin/nologin"
    done
}

@test "the programs run; nothing names a folder of the machine that has built them" {
    local library program
    succeeds dpkg --verify "${names[@]}"
    [ -z "$(grep -v ' c /etc/kanal/kanal.conf$' output)" ] || fail "changed files: $(cat output)"
    library=$(cd "$debian" && ls usr/lib/*/libkanal-pkcs11.so)
    succeeds ldd -r "/$library"
    not_printed 'not found\|undefined'
    for program in kanal kanal-emulator; do
        succeeds $program --version
        printed "^$version$"
    done
    succeeds sh -c '! grep -rIl -e /usr/local/lib -e "$0" /usr/share/doc/kanal /usr/share/doc/libkanal* /etc/kanal' "$root"
}

@test "each file with a runtime of its own has an inventory of what it is linked with" {
    local file inventory
    for file in "$debian"/usr/{lib/*/libkanal-pkcs11.so,bin/kanal,bin/kanal-emulator}; do
        inventory=$debian/usr/share/doc/kanal/$(basename "$file" .so).spdx.json
        printed "$(sha256sum "$file" | cut -d ' ' -f 1)" "$inventory"
    done
}

@test "the packages' tests for Debian pass" {
    local command
    test_commands > commands
    [ -s commands ] || fail "no commands in Packaging/debian/tests/control"
    while read -r command; do succeeds sh -c "cd /tree && $command" < /dev/null; done < commands
}

# The median of 21 processes each, in turns.
@test "a process that loads the module takes less time than with SoftHSM2's package" {
    local own other
    succeeds sh -c 'cc -O2 -I/tree/Include/CCryptoki -I/usr/include/kanal $(pkg-config --cflags kanal-pkcs11) \
        /tree/Benchmarks/Module/module.c -o /tmp/module'
    load_time() { inside /tmp/module "$1" load | sed -n 's/^load \([0-9.]*\) .*/\1/p'; }
    for _ in {1..21}; do
        load_time libkanal-pkcs11.so >> own
        load_time /usr/lib/softhsm/libsofthsm2.so >> other
    done
    own=$(sort -n own | sed -n 11p)
    other=$(sort -n other | sed -n 11p)
    echo "# $own µs, and $other µs with SoftHSM2" >&3
    awk -v own="$own" -v other="$other" 'BEGIN { exit !(own > 0 && own < other) }' \
        || fail "the module loads slower than SoftHSM2: $own and $other µs"
}

@test "kanal doctor finds no fault with what is installed" {
    inside kanal doctor --json > output 2>&1 || true
    printed '"pcscd\.'
    not_printed '"library\.\|"p11kit\.'
}

# The last test, as nothing is installed after it.
@test "a removal leaves the settings, and a purge nothing but what the user has made" {
    local left wanted
    succeeds apt-get remove -y "${names[@]}"
    left=$(files | grep -e libkanal -e bin/kanal -e engines-3/kanal -e kanal.module -e systemd/system/kanal || true)
    [ -z "$left" ] || fail "left after the removal: $left"
    [ -e "$debian/etc/kanal/kanal.conf" ] || fail "the settings are removed before they are purged"

    succeeds dpkg --purge "${names[@]}"
    files > after-all
    left=$(comm -13 before-all after-all | xargs)
    wanted="./etc/kanal ./etc/kanal/shares ./etc/kanal/shares/office.conf"
    wanted+=" ./var/lib/kanal ./var/lib/kanal/groups ./var/lib/kanal/groups/accounting"
    [ "$left" = "$wanted" ] || fail "left after the purge: $left"
    [ -z "$(comm -23 before-all after-all)" ] || fail "gone with the purge: $(comm -23 before-all after-all)"
}
