#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Expectation: a URI may name the library, the slot and the module (RFC 7512), and attributes of the query that a program
# does not know are to be ignored (its matching guidelines): a name that `p11tool --detailed-url` prints serves all programs.
# Seen: libp11 0.4.12 knows model, manufacturer, token, serial, object, id, type, pin-value and pin-source. With any other one
# the whole is "not a valid PKCS#11 URI", also a URI that p11tool has printed.
# Consequence: servers get URIs without library-…, slot-…, module-… and attributes of one's own.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export SOFTHSM2_CONF=$dir/conf GNUTLS_PIN=1234
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
timeout 20 softhsm2-util --init-token --free --label T --pin 1234 --so-pin 87654321 >/dev/null
timeout 60 p11tool --batch --provider "$module" --login --generate-privkey=rsa --bits=2048 --label k --id 01 \
    --outfile "$dir/key.pem" pkcs11:token=T >/dev/null 2>&1
url() { timeout 20 p11tool --batch --provider "$module" --login "$@" --list-privkeys pkcs11:token=T 2>&1 | sed -n 's/.*URL: //p'; }
short=$(url) detailed=$(url --detailed-url)

wrong=
try() { # EXPECTED URI
    timeout 20 python3 "$dir/engine.py" "$module" "$2" </dev/null >"$dir/out" 2>&1 || true
    seen=other
    grep -q 'key found' "$dir/out" && seen=key
    grep -q 'not a valid PKCS#11 URI' "$dir/out" && seen=invalid
    echo "expected: key; seen: $seen; $2"
    [ "$seen" = "$1" ] || wrong+="$2 "
}
try key "$short?pin-value=1234"
try invalid "$detailed?pin-value=1234"
try invalid "$short;slot-description=SoftHSM?pin-value=1234"
try invalid "$short?pin-value=1234&module-name=softhsm2"
try invalid "$short?pin-value=1234&x-note=web"
[ -z "$wrong" ] && echo "as stated" || { echo "differs: $wrong"; exit 1; }
