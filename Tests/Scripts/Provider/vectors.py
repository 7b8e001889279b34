# SPDX-License-Identifier: Apache-2.0
"""vectors.py VECTORS: writes what the tests of the provider take from Tests/Vectors into files of this directory.

    key-N.der, key-N.spki   a private key and its public half; form-NAME.der, the first key in another form
    bad-NAME.der            what is not a private key
    pfx-N.der, .password, .key   a PFX file and its password, and the key if it is known
    revoked-N.der, .pem     a revocation list and its issuer's certificate
"""

import base64
import json
import sys


def load(name):
    with open(f"{sys.argv[1]}/{name}.json") as file:
        return json.load(file)["vectors"]


def write(name, octets):
    with open(name, "wb") as file:
        file.write(octets)


def element(tag, content):
    length = len(content)
    size = bytes([length]) if length < 128 else bytes([0x81, length])
    return bytes([tag]) + size + content


def keys():
    keys = [vector for vector in load("keyformats") if vector.get("kind") == "PKCS8+SPKI"]
    for number, vector in enumerate(keys):
        write(f"key-{number}.der", bytes.fromhex(vector["pkcs8"]))
        write(f"key-{number}.spki", bytes.fromhex(vector["spki"]))
    first = next(vector for vector in keys if vector["curve"] == "id-tc26-gost-3410-2012-256-paramSetA")
    curves = {curve["id"]: curve for curve in load("curves")}
    forms(first, int(curves[first["curve"]]["q"], 16))
    write("form.spki", bytes.fromhex(first["spki"]))


def forms(vector, q):
    """The same key in the forms that others write, and numbers that are not keys."""
    whole = bytes.fromhex(vector["pkcs8"])
    octets = bytes.fromhex(vector["prv_le"])
    algorithm = whole[5 : whole.index(octets) - 2]
    number = int.from_bytes(octets, "little")
    mask, other = 0x1234567, q - 5

    def key(content, version=b"\x02\x01\x00", behind=b""):
        return element(0x30, version + algorithm + element(0x04, content) + behind)

    def little(value):
        return value.to_bytes(32, "little")

    assert key(octets) == whole
    masked = number * pow(mask, -1, q) % q
    good = {
        "octets": key(element(0x04, octets)),
        "integer": key(element(0x02, b"\x00" + octets[::-1])),
        "masked": key(little(masked) + little(mask)),
        "masked-twice": key(little(masked * pow(other, -1, q) % q) + little(mask) + little(other)),
        "attributes": key(octets, behind=element(0xA0, b"")),
        "second-version": key(octets, version=b"\x02\x01\x01", behind=element(0x81, b"\x00" + bytes(64))),
        "agreement": whole.replace(bytes.fromhex("06082a85030701010101"), bytes.fromhex("06082a85030701010601")),
    }
    bad = {
        "zero": key(bytes(32)),
        "order": key(little(q)),
        "large": key(b"\xff" * 32),
        "short": key(octets[:31]),
        "empty": key(b""),
        "mask-zero": key(octets + bytes(32)),
        "mask-order": key(octets + little(q)),
        "integer-long": key(element(0x02, b"\x01" + octets)),
        "cut": whole[:-1],
        "version": key(octets, version=b"\x02\x01\x02"),
        "curve": whole.replace(bytes.fromhex("2a85030701020101"), bytes.fromhex("2a85030701020109")),
        "longer-curve": whole.replace(bytes.fromhex("2a8503070102010101"), bytes.fromhex("2a8503070102010201")),
    }
    for name, octets in good.items():
        write(f"form-{name}.der", octets)
    for name, octets in bad.items():
        write(f"bad-{name}.der", octets)


def files():
    files = [vector for vector in load("cms_pkcs12") if vector.get("password")]
    for number, vector in enumerate(files):
        write(f"pfx-{number}.der", bytes.fromhex(vector["der"]))
        write(f"pfx-{number}.password", bytes.fromhex(vector["password"]))
        if "key" in vector:
            write(f"pfx-{number}.key", bytes.fromhex(vector["key"]))


def lists():
    vectors = load("keyformats")
    for number, vector in enumerate(vector for vector in vectors if vector["kind"] == "X509 CRL"):
        issuer = next(v for v in vectors if v["kind"] == "CERTIFICATE" and v.get("d") == vector["d"])
        write(f"revoked-{number}.der", bytes.fromhex(vector["der"]))
        text = base64.encodebytes(bytes.fromhex(issuer["der"])).decode()
        with open(f"revoked-{number}.pem", "w") as file:
            file.write(f"-----BEGIN CERTIFICATE-----\n{text}-----END CERTIFICATE-----\n")


keys()
files()
lists()
