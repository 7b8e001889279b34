#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Expectation: a log of calls that an administrator turns on for a module (`log-calls: yes`, pkcs11.conf(5)) leaves out what
# C_Login hides: PINs.
# Seen: p11-kit 0.24.1 writes the PIN in clear, and so does OpenSC 0.23.0's pkcs11-spy, to standard error and its file.
# Consequence: such a log is not sent to anybody, and not left on in a service, whose journal keeps it; the PIN is changed after.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export SOFTHSM2_CONF=$dir/conf PKCS11SPY=/usr/lib/softhsm/libsofthsm2.so PKCS11SPY_OUTPUT=$dir/spy
for package in libp11-kit0=0.24.1-2 softhsm2=2.6.1-2.1 gnutls-bin=3.7.9-2+deb12u7 opensc-pkcs11=0.23.0-0.3+deb12u2; do
    has=$(dpkg-query -W -f '${Version}' "${package%%=*}" || true)
    [ "$has" = "${package#*=}" ] || { echo "differs: ${package%%=*} has the version $has, not ${package#*=}"; exit 1; }
    echo "$package"
done
mkdir -p "$dir/tokens" "$dir/home/.config/pkcs11/modules"
echo "directories.tokendir = $dir/tokens" >"$dir/conf"
printf 'module: %s\nlog-calls: yes\n' "$PKCS11SPY" >"$dir/home/.config/pkcs11/modules/softhsm.module"
echo 'user-config: only' >"$dir/home/.config/pkcs11/pkcs11.conf"
timeout 20 softhsm2-util --init-token --free --label T --pin 4711-made-up --so-pin 87654321 >/dev/null
chmod -R a+rwX "$dir"
# p11-kit reads no settings of root's own.
as=()
[ "$(id -u)" != 0 ] || as=(setpriv --reuid 65534 --regid 65534 --clear-groups)
export HOME=$dir/home XDG_CONFIG_HOME=$dir/home/.config GNUTLS_PIN=4711-made-up
"${as[@]}" timeout 20 p11tool --login --list-all pkcs11:token=T >"$dir/log" 2>&1 || true
timeout 20 pkcs11-tool --module /usr/lib/x86_64-linux-gnu/pkcs11-spy.so --login --pin 4711-made-up -O >/dev/null 2>&1

kit=$(grep -a -A 3 '^C_Login' "$dir/log" | grep -a -m 1 'pPin =' || true)
spy=$(grep -a -A 5 'C_Login$' "$dir/spy" | grep -a -m 1 '4711' || true)
echo "expected: lines of C_Login without the PIN"
echo "seen: p11-kit: $kit"
echo "seen: pkcs11-spy: $spy"
[[ $kit == *'"4711-made-up"'* && $spy == *4711-made-up* ]] && echo "as stated" ||
    { echo "differs: one of both logs hides the PIN"; exit 1; }
