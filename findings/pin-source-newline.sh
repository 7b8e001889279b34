#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Expectation: the file of a `pin-source` (RFC 7512) may end with a line end, as editors and `echo` write it: the PIN is
# its line.
# Seen: GnuTLS 3.7.9 and libp11 0.4.12 pass the line end to C_Login, too: five bytes for 1234. The token counts a wrong PIN.
# Consequence: such a file is written by `printf`, without a line end; a service that is started again and again with a
# line end in its file locks the PIN.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export SOFTHSM2_CONF=$dir/conf PKCS11SPY_OUTPUT=$dir/calls
export PKCS11SPY=/usr/lib/softhsm/libsofthsm2.so
spy=/usr/lib/x86_64-linux-gnu/pkcs11-spy.so
for package in gnutls-bin=3.7.9-2+deb12u7 libengine-pkcs11-openssl=0.4.12-0.1 softhsm2=2.6.1-2.1 \
    opensc-pkcs11=0.23.0-0.3+deb12u2; do
    has=$(dpkg-query -W -f '${Version}' "${package%%=*}" || true)
    [ "$has" = "${package#*=}" ] || { echo "differs: ${package%%=*} has the version $has, not ${package#*=}"; exit 1; }
    echo "$package"
done
mkdir "$dir/tokens"
echo "directories.tokendir = $dir/tokens" >"$dir/conf"
# The engine is called through libcrypto, so that the program ends at once after its answer (os._exit).
cat >"$dir/engine.py" <<'END'
import ctypes, os, sys
libcrypto = ctypes.CDLL("libcrypto.so.3")
libcrypto.OPENSSL_init_crypto(ctypes.c_uint64(0x400), None)  # the engine `dynamic`
libcrypto.ENGINE_by_id.restype = libcrypto.ENGINE_load_private_key.restype = ctypes.c_void_p
engine = ctypes.c_void_p(libcrypto.ENGINE_by_id(b"pkcs11"))
libcrypto.ENGINE_ctrl_cmd_string(engine, b"MODULE_PATH", sys.argv[1].encode(), 0)
libcrypto.ENGINE_init(engine)
key = libcrypto.ENGINE_load_private_key(engine, sys.argv[2].encode(), None, None)
os.write(1, b"key found" if key else b"no key")
os._exit(0)
END
timeout 20 softhsm2-util --init-token --free --label T --pin 1234 --so-pin 87654321 >/dev/null
GNUTLS_PIN=1234 timeout 60 p11tool --batch --provider "$PKCS11SPY" --login --generate-privkey=rsa --bits=2048 --label k \
    --id 01 --outfile "$dir/key.pem" pkcs11:token=T >/dev/null 2>&1
printf 1234 >"$dir/plain"
echo 1234 >"$dir/line"

logins() { sed -n '/C_Login$/,/^Returned/ s/.*pPin.* \/ \([0-9]*\)$/\1 bytes/p; /C_Login$/,/^Returned/ s/^Returned: *[0-9]* //p' \
    "$dir/calls" | sort -u | tr '\n' ' '; }
seen=
for file in plain line; do
    uri="pkcs11:token=T;id=%01;type=private?pin-source=$dir/$file"
    rm -f "$dir/calls"
    timeout 20 p11tool --batch --provider "$spy" --login --list-all "$uri" </dev/null >"$dir/out" 2>&1 || true
    seen+="$file: GnuTLS $(logins)"
    rm -f "$dir/calls"
    timeout 20 python3 "$dir/engine.py" "$spy" "$uri" </dev/null >"$dir/out" 2>&1 || true
    seen+="libp11 $(logins)"
done
echo "expected: 4 bytes CKR_OK for both files"
echo "seen: $seen"
good="4 bytes CKR_OK" wrong="5 bytes CKR_PIN_INCORRECT"
[ "$seen" = "plain: GnuTLS $good libp11 $good line: GnuTLS $wrong libp11 $wrong " ] && echo "as stated" ||
    { echo "differs: the line end is left out, or more or fewer logins are made"; exit 1; }
