#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Expectation: "to enable loading only from the proxy module, specify p11-kit-proxy as the value" of `enable-in`
# (pkcs11.conf(5)): programs that load p11-kit-proxy.so see the module, others do not.
# Seen: with this line p11-kit 0.24.1 shows the module to no program. The program's own name is needed beside it.
# `disable-in: p11-kit-proxy` works as it is described.
# Consequence: `enable-in: p11-kit-proxy, firefox` for a browser that gets its tokens by the proxy.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
proxy=/usr/lib/x86_64-linux-gnu/p11-kit-proxy.so
for package in libp11-kit0=0.24.1-2 softhsm2=2.6.1-2.1 opensc=0.23.0-0.3+deb12u2 gnutls-bin=3.7.9-2+deb12u7; do
    has=$(dpkg-query -W -f '${Version}' "${package%%=*}" || true)
    [ "$has" = "${package#*=}" ] || { echo "differs: ${package%%=*} has the version $has, not ${package#*=}"; exit 1; }
    echo "$package"
done
mkdir -p "$dir/tokens" "$dir/home/.config/pkcs11/modules"
echo "directories.tokendir = $dir/tokens" >"$dir/conf"
echo 'user-config: only' >"$dir/home/.config/pkcs11/pkcs11.conf"
export SOFTHSM2_CONF=$dir/conf
timeout 20 softhsm2-util --init-token --free --label T --pin 1234 --so-pin 87654321 >/dev/null
chmod -R a+rwX "$dir"
# p11-kit reads no settings of root's own.
as=()
[ "$(id -u)" != 0 ] || as=(setpriv --reuid 65534 --regid 65534 --clear-groups)
export HOME=$dir/home XDG_CONFIG_HOME=$dir/home/.config

through() { # LINE: whether the token is seen through the proxy, and without it
    printf 'module: /usr/lib/softhsm/libsofthsm2.so\n%s\n' "$1" >"$dir/home/.config/pkcs11/modules/softhsm.module"
    "${as[@]}" timeout 20 pkcs11-tool --module "$proxy" -L 2>/dev/null | grep -q 'label *: T' && printf 'yes ' || printf 'no '
    "${as[@]}" timeout 20 p11tool --list-token-urls 2>/dev/null | grep -q 'token=T' && echo yes || echo no
}
without=$(through '')
only=$(through 'enable-in: p11-kit-proxy')
both=$(through 'enable-in: p11-kit-proxy, pkcs11-tool')
off=$(through 'disable-in: p11-kit-proxy')
echo "seen by pkcs11-tool through the proxy, by p11tool without: no line: $without"
echo "expected: enable-in: p11-kit-proxy: yes no; disable-in: p11-kit-proxy: no yes"
echo "seen: enable-in: p11-kit-proxy: $only; with pkcs11-tool beside it: $both; disable-in: p11-kit-proxy: $off"
[ "$without|$only|$both|$off" = "yes yes|no no|yes no|no yes" ] && echo "as stated" ||
    { echo "differs: the module is seen by others"; exit 1; }
