# SPDX-License-Identifier: Apache-2.0
"""vectors.py VECTORS: writes what the tests of the provider take from Tests/Vectors into files of this directory.

    key-N.der, key-N.spki   a private key and its public half; form-NAME.der, the first key in another form
    bad-NAME.der            what is not a private key
    pfx-N.der, .password, .key   a PFX file and its password, and the key if it is known
    pfx-N-encrypted.der     the key under this password, if the file has it so
    revoked-N.der, .pem     a revocation list and its issuer's certificate
    agreed-N.der, .key   a message by key agreement, and the key that it is for
    agreed-N.subject, .spki, .ukm, .kek   the name in its certificate; its sender's key, and what both agree on
    evp.lines, computed.lines   lines for Tests/Programs/Provider/vectors.c and computed.c
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
        "parameters": whole.replace(bytes.fromhex("300b0609"), bytes.fromhex("310b0609")),
        "behind": key(octets, behind=element(0x82, b"")),
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
        # An EncryptedPrivateKeyInfo in a bag of its own.
        bag = bytes.fromhex("060b2a864886f70d010c0a0102a082")
        if bag in bytes.fromhex(vector["der"]):
            _, rest = bytes.fromhex(vector["der"]).split(bag, 1)
            write(f"pfx-{number}-encrypted.der", rest[2 : 2 + int.from_bytes(rest[:2], "big")])


def lists():
    vectors = load("keyformats")
    for number, vector in enumerate(vector for vector in vectors if vector["kind"] == "X509 CRL"):
        issuer = next(v for v in vectors if v["kind"] == "CERTIFICATE" and v.get("d") == vector["d"])
        write(f"revoked-{number}.der", bytes.fromhex(vector["der"]))
        text = base64.encodebytes(bytes.fromhex(issuer["der"])).decode()
        with open(f"revoked-{number}.pem", "w") as file:
            file.write(f"-----BEGIN CERTIFICATE-----\n{text}-----END CERTIFICATE-----\n")


def agreements():
    """Messages with a KeyAgreeRecipientInfo. Their keys are integers there, and PKCS #8 has them the other way round."""
    vectors = load("cms_pkcs12")
    hashes = {32: "06082a85030701010202", 64: "06082a85030701010203"}
    keys = {32: "06082a85030701010101", 64: "06082a85030701010102"}
    for message in (vector for vector in vectors if "KARI" in vector["source"] and "plaintext" in vector):
        source = message["source"].split(":")[0]
        number = next(bytes.fromhex(v["hex"]) for v in vectors if v["source"] == f"{source}: prv_key_our")
        curves = {curve["id"]: curve["oid"] for curve in load("curves")}
        parameters = element(0x30, oid(curves[message["recipient_curve"]]) + bytes.fromhex(hashes[len(number)]))
        algorithm = element(0x30, bytes.fromhex(keys[len(number)]) + parameters)
        name = f"agreed-{8 * len(number)}"
        write(f"{name}.der", bytes.fromhex(message["der"]))
        write(f"{name}.key", element(0x30, b"\x02\x01\x00" + algorithm + element(0x04, number[::-1])))
        subject = f"/emailAddress=gostR3410-2012@example.com/CN=GostR3410-2012 {8 * len(number)} bits exchange"
        write(f"{name}.subject", subject.encode())
        write(f"{name}.spki", originator(bytes.fromhex(message["der"])))
        write(f"{name}.ukm", message["ukm"].encode())
        write(f"{name}.kek", bytes.fromhex(message["kek"]))


def originator(message):
    """The sender's public key, which is a SubjectPublicKeyInfo with another tag there."""
    outer = message[message.index(b"\x02\x01\x03\xa0") + 4 :]
    inner = outer[2:] if outer[0] > 127 else outer[1:]
    assert inner[0] == 0xA1
    begin, length = (3, inner[2]) if inner[1] > 127 else (2, inner[1])
    return element(0x30, inner[begin : begin + length])


def oid(text):
    """An object identifier in DER."""
    first, second, *rest = map(int, text.split("."))
    octets = [40 * first + second]
    for arc in rest:
        octets += [0x80 | arc >> 7, arc & 0x7F] if arc > 127 else [arc]
    return element(0x06, bytes(octets))


def identifier(name):
    """The object identifier of a set of rows, in DER."""
    arcs = {
        "id-Gost28147-89-TestParamSet": "1.2.643.2.2.31.0",
        "id-Gost28147-89-CryptoPro-A-ParamSet": "1.2.643.2.2.31.1",
        "id-Gost28147-89-CryptoPro-B-ParamSet": "1.2.643.2.2.31.2",
        "id-Gost28147-89-CryptoPro-C-ParamSet": "1.2.643.2.2.31.3",
        "id-Gost28147-89-CryptoPro-D-ParamSet": "1.2.643.2.2.31.4",
        "id-tc26-gost-28147-param-Z": "1.2.643.7.1.2.5.1.1",
        "id-GostR3411-94-TestParamSet": "1.2.643.2.2.30.0",
        "id-GostR3411-94-CryptoProParamSet": "1.2.643.2.2.30.1",
    }
    return oid(arcs[name]) if name in arcs else None


def evp():
    """What OpenSSL has names for."""
    for mode, name in [("cfb", "gost89"), ("cnt", "gost89-cnt"), ("cbc", "gost89-cbc")]:
        for vector in load(f"gost28147_{mode}"):
            rows = identifier(vector["sbox"])
            if not rows or vector["meshing"] != (mode != "cbc") or "ct" not in vector or "pt" not in vector:
                continue
            parameters = element(0x30, element(0x04, bytes.fromhex(vector["iv"])) + rows)
            yield "cipher", name, vector["key"], "-", parameters.hex(), vector["pt"], vector["ct"]
    for vector in load("gost28147_ecb"):
        if vector["sbox"] == "id-tc26-gost-28147-param-Z":
            yield "cipher", "gost89-ecb", vector["key"], "-", "-", vector["pt"], vector["ct"]
    for vector in load("gost3413_modes"):
        cipher, mode = vector["cipher"], vector["mode"]
        size = 16 if cipher == "kuznyechik" else 8
        wanted = {"ecb": 0, "ctr": size // 2}.get(mode, size)
        if mode == "omac":
            yield "mac", f"{cipher}-mac", vector["key"], vector["pt"], vector["mac"]
        elif len(vector.get("iv", "")) == 2 * wanted:
            yield "cipher", f"{cipher}-{mode}", vector["key"], vector.get("iv", ""), "-", vector["pt"], vector["ct"]
    for vector in load("gost28147_imit"):
        name = {"id-Gost28147-89-CryptoPro-A-ParamSet": "gost-mac", "id-tc26-gost-28147-param-Z": "gost-mac-12"}
        if vector["sbox"] in name and vector["meshing"] and set(vector["iv"]) == {"0"} and is_common(vector):
            yield "mac", name[vector["sbox"]], vector["key"], vector["data"], vector["mac4"]
    for vector in load("mgm"):
        if "key" in vector:
            fields = [vector[field] for field in ("key", "icn", "aad", "pt", "ct", "tag")]
            yield ("aead", f"{vector['cipher']}-mgm", *fields)
    names = {"streebog256": "md_gost12_256", "streebog512": "md_gost12_512", "gostr341194-cryptopro": "md_gost94"}
    for vector in load("hmac_gost"):
        yield "hmac", names[vector["hash"]], vector["key"], vector["msg"], vector["mac"]
    for vector in load("streebog"):
        yield "digest", f"md_gost12_{vector['bits']}", vector["msg"], vector["hash"]
    for vector in load("gostr341194"):
        if vector["sbox"] == "id-GostR3411-94-CryptoProParamSet" and "divergent" not in vector:
            yield "digest", "md_gost94", vector["msg"], vector["hash"]


def is_common(vector):
    """Whether CryptoPro CSP and gost-engine agree, and the data are whole."""
    return "divergent" not in vector and "data" in vector


def computed():
    """What it has no names for."""
    for vector in load("acpkm"):
        if vector["alg"] == "CTR-ACPKM":
            fields = [vector[field] for field in ("key", "iv", "pt", "ct")]
            yield ("acpkm", vector["cipher"], str(vector["section_bytes"]), *fields)
    for vector in load("gost28147_imit"):
        rows = identifier(vector["sbox"])
        if rows and is_common(vector) and vector["data"]:
            code = vector.get("mac8", vector["mac4"])
            yield "imit", rows.hex(), str(int(vector["meshing"])), vector["key"], vector["iv"], vector["data"], code
    for vector in load("gost_keywrap"):
        rows = identifier(vector["sbox"])
        if vector["alg"].startswith("CryptoPro"):
            yield "unwrap", rows.hex(), vector["kek"], vector["ukm"], vector["wrapped"][16:], vector["cek"]
    for vector in load("kexp15"):
        yield "kexp15", vector["cipher"], vector["k_mac"] + vector["k_enc"], vector["iv"], vector["K"], vector["out"]
    for vector in load("streebog"):
        yield "hash", str(vector["bits"]), "-", vector["msg"], vector["hash"]
    for vector in load("gostr341194"):
        yield "hash", "94", identifier(vector["sbox"]).hex(), vector["msg"], vector["hash"]
    names = {"streebog256": "256", "streebog512": "512", "gostr341194-cryptopro": "94"}
    for vector in load("hmac_gost"):
        yield "hmac", names[vector["hash"]], vector["key"], vector["msg"], vector["mac"]
    for vector in load("kdf_gost"):
        if vector["alg"].startswith("KDF_"):
            fields = [vector[field] for field in ("key", "label", "seed", "out")]
            yield ("tree", "256", str(vector.get("R", 1)), *fields)


keys()
files()
lists()
agreements()
for name, lines in ("evp", evp()), ("computed", computed()):
    with open(f"{name}.lines", "w") as file:
        file.writelines(" ".join(field or "-" for field in line) + "\n" for line in lines)
