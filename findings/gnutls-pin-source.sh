#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Expectation: `pin-source=file:/etc/token_pin`, the form of the examples in RFC 7512, names a file with the PIN
# for every program that knows the attribute.
# Seen: GnuTLS 3.7.9 opens a file only if the value is the bare path; with "file:" it asks, or in a service has no PIN.
# libp11 0.4.12 accepts both.
# Consequence: `pin-source=/path`, without "file:", is the form that both read.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export SOFTHSM2_CONF=$dir/conf
module=/usr/lib/softhsm/libsofthsm2.so
for package in gnutls-bin=3.7.9-2+deb12u7 libengine-pkcs11-openssl=0.4.12-0.1 softhsm2=2.6.1-2.1; do
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
printf 1234 >"$dir/pin"
timeout 20 softhsm2-util --init-token --free --label T --pin 1234 --so-pin 87654321 >/dev/null
GNUTLS_PIN=1234 timeout 60 p11tool --batch --provider "$module" --login --generate-privkey=rsa --bits=2048 --label k --id 01 \
    --outfile "$dir/key.pem" pkcs11:token=T >/dev/null 2>&1

seen=
for source in "$dir/pin" "file:$dir/pin"; do
    uri="pkcs11:token=T;id=%01;type=private?pin-source=$source"
    gnutls=no engine=no
    timeout 20 p11tool --batch --provider "$module" --login --list-all "$uri" </dev/null 2>&1 | grep -q 'ID: 01' && gnutls=yes
    timeout 20 python3 "$dir/engine.py" "$module" "$uri" </dev/null 2>&1 | grep -q 'key found' && engine=yes
    seen+="${source%%"$dir"*}FILE: GnuTLS $gnutls, libp11 $engine; "
done
echo "expected: both programs find the key by both forms"
echo "seen: $seen"
[ "$seen" = "FILE: GnuTLS yes, libp11 yes; file:FILE: GnuTLS no, libp11 yes; " ] && echo "as stated" ||
    { echo "differs: other programs or forms read the file"; exit 1; }
