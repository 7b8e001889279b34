#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Expectation: `enable-in` and `disable-in` of p11-kit name "the base name of the process executable" (pkcs11.conf(5)):
# python3.11 for Debian 12's Python, as in /proc/PID/exe.
# Seen: p11-kit 0.24.1 compares the name by which the program was called: python3.11 never fits a script that begins with
# /usr/bin/python3 (a link), in either setting.
# Consequence: the line has both names, the executable's and its links': `enable-in: python3, python3.11`.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
module=/usr/lib/softhsm/libsofthsm2.so
for package in libp11-kit0=0.24.1-2 softhsm2=2.6.1-2.1 gnutls-bin=3.7.9-2+deb12u7; do
    has=$(dpkg-query -W -f '${Version}' "${package%%=*}" || true)
    [ "$has" = "${package#*=}" ] || { echo "differs: ${package%%=*} has the version $has, not ${package#*=}"; exit 1; }
    echo "$package"
done
mkdir -p "$dir/tokens" "$dir/home/.config/pkcs11/modules"
echo "directories.tokendir = $dir/tokens" >"$dir/conf"
echo 'user-config: only' >"$dir/home/.config/pkcs11/pkcs11.conf"
SOFTHSM2_CONF=$dir/conf timeout 20 softhsm2-util --init-token --free --label T --pin 1234 --so-pin 87654321 >/dev/null
ln -s /usr/bin/p11tool "$dir/link"
chmod -R a+rwX "$dir"
# p11-kit reads no settings of root's own.
as=()
[ "$(id -u)" != 0 ] || as=(setpriv --reuid 65534 --regid 65534 --clear-groups)
export HOME=$dir/home XDG_CONFIG_HOME=$dir/home/.config SOFTHSM2_CONF=$dir/conf

loaded() { # LINE PROGRAM: whether PROGRAM sees the module's slot
    printf 'module: %s\n%s\n' "$module" "$1" >"$dir/home/.config/pkcs11/modules/softhsm.module"
    "${as[@]}" timeout 20 "$2" --list-token-urls 2>/dev/null | grep -q SoftHSM && echo yes || echo no
}
seen="$(loaded 'enable-in: p11tool' /usr/bin/p11tool) $(loaded 'enable-in: p11tool' "$dir/link")"
seen+=" $(loaded 'disable-in: p11tool' /usr/bin/p11tool) $(loaded 'disable-in: p11tool' "$dir/link")"
echo "enable-in: p11tool by its name, by a link; disable-in: by its name, by a link"
echo "expected: yes yes no no"
echo "seen: $seen"
[ "$seen" = "yes no no yes" ] && echo "as stated" || { echo "differs: p11-kit looks at another name"; exit 1; }
