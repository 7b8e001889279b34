# SPDX-License-Identifier: Apache-2.0
# Key containers of the vectors, for emulated tokens (kanal-emulator --container). For files that load common.

# vector NAME: writes a container's files into the folder NAME; the certificate of its last key, the key's identifier, the
# container's name and serial number as a token, and its secrets into certificate.der, certificate.pem, public.pem, id, name, serial
# and secrets.
vector() {
    python3 - "$root/Tests/Vectors/containers.json" "$1" << 'END' || fail "no vector $1"
import json, os, sys
vector = next(v for v in json.load(open(sys.argv[1]))["containers"] if v["id"] == sys.argv[2])
key = vector["keys"][-1]
os.makedirs(vector["id"], 0o700, exist_ok=True)
for name, content in vector["files"].items():
    open(f"{vector['id']}/{name}", "wb").write(bytes.fromhex(content))
open("certificate.der", "wb").write(bytes.fromhex(key["certificate"]))
open("id", "w").write(key["Q"][:16])
open("name", "w").write(vector["name"])
open("serial", "w").write(vector["keys"][0]["Q"][:16])
# The private key in both orders, and the password as it is hashed, inverted.
d = bytes.fromhex(key["d"])
secrets = [d, d[::-1]] + [vector["password"].encode("utf-32-le")] * bool(vector["password"])
open("secrets", "w").write(",".join(bytes(255 - byte for byte in secret).hex() for secret in secrets))
END
    chmod -R go= "$1"
    openssl x509 -engine gost -inform DER -in certificate.der -outform PEM > certificate.pem 2> /dev/null
    openssl x509 -engine gost -in certificate.pem -pubkey -noout > public.pem 2> /dev/null
}

# with_containers NAME...: sets $containers, the emulator's options for the containers of these vectors.
with_containers() {
    local name
    containers=()
    for name; do
        vector "$name"
        containers+=(--container "$name")
    done
}
