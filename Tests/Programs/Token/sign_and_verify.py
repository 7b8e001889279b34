#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""sign_and_verify.py MODULE SERIAL PIN: makes a key pair of each kind of GOST key in a session of the token, signs by
PyKCS11 and verifies by OpenSSL's gost engine, which knows nothing of the library; digests are compared with OpenSSL's.
OPENSSL_CONF has to name a configuration with that engine. Prints a line for each rule that holds. The first broken one
ends the program with exit status 1."""
import os
import subprocess
import sys

import PyKCS11

# Mechanisms and a type of keys without a name in PyKCS11; rtpkcs11.h has them.
GOSTR3410_512_KEY_PAIR_GEN = 0xD4321005
GOSTR3410_512 = 0xD4321006
GOSTR3410_WITH_GOSTR3411_12_256 = 0xD4321008
GOSTR3410_WITH_GOSTR3411_12_512 = 0xD4321009
GOSTR3411_12_256 = 0xD4321012
GOSTR3411_12_512 = 0xD4321013
KEY_OF_512_BITS = 0xD4321003

# Object identifiers in DER.
HASH_94 = bytes.fromhex("06072a850302021e01")
HASH_256 = bytes.fromhex("06082a85030701010202")
HASH_512 = bytes.fromhex("06082a85030701010203")
KEY_2001 = bytes.fromhex("06062a8503020213")
KEY_256 = bytes.fromhex("06082a85030701010101")
KEY_512 = bytes.fromhex("06082a85030701010102")
CRYPTOPRO_A = bytes.fromhex("06072a850302022301")
TC26_256_A = bytes.fromhex("06092a8503070102010101")
TC26_512_A = bytes.fromhex("06092a8503070102010201")
TC26_512_B = bytes.fromhex("06092a8503070102010202")

# OpenSSL's name of each digest, and the token's mechanism.
DIGESTS = {
    "md_gost94": PyKCS11.CKM_GOSTR3411,
    "md_gost12_256": GOSTR3411_12_256,
    "md_gost12_512": GOSTR3411_12_512,
    "sha256": PyKCS11.CKM_SHA256,
}


class Kind:
    """A kind of keys: how one is made, how it signs, and what its public key looks like to other programs."""

    def __init__(self, name, curve, digest, hash_oid, key_oid, with_hash, size=32):
        self.name, self.curve, self.digest, self.size = name, curve, digest, size
        self.hash_oid, self.key_oid, self.with_hash = hash_oid, key_oid, with_hash
        long = size == 64
        self.generation = GOSTR3410_512_KEY_PAIR_GEN if long else PyKCS11.CKM_GOSTR3410_KEY_PAIR_GEN
        self.raw = GOSTR3410_512 if long else PyKCS11.CKM_GOSTR3410
        self.key_type = KEY_OF_512_BITS if long else PyKCS11.CKK_GOSTR3410

    def public_key_info(self, point):
        # The hash of these curves follows from the key: RFC 9215, 4.2.
        hash_oid = b"" if self.curve in (TC26_512_A, TC26_512_B) else self.hash_oid
        algorithm = element(0x30, self.key_oid + element(0x30, self.curve + hash_oid))
        return element(0x30, algorithm + element(0x03, b"\0" + element(0x04, point)))


KINDS = [
    Kind("2001, CryptoPro-A", CRYPTOPRO_A, "md_gost94", HASH_94, KEY_2001, PyKCS11.CKM_GOSTR3410_WITH_GOSTR3411),
    Kind("256 bits, CryptoPro-A", CRYPTOPRO_A, "md_gost12_256", HASH_256, KEY_256, GOSTR3410_WITH_GOSTR3411_12_256),
    Kind("256 bits, TC26-A", TC26_256_A, "md_gost12_256", HASH_256, KEY_256, GOSTR3410_WITH_GOSTR3411_12_256),
    Kind("512 bits, TC26-A", TC26_512_A, "md_gost12_512", HASH_512, KEY_512, GOSTR3410_WITH_GOSTR3411_12_512, 64),
    Kind("512 bits, TC26-B", TC26_512_B, "md_gost12_512", HASH_512, KEY_512, GOSTR3410_WITH_GOSTR3411_12_512, 64),
]


def element(tag, content):
    """An element in DER."""
    size = len(content)
    if size >= 128:
        length = size.to_bytes((size.bit_length() + 7) // 8, "big")
        return bytes([tag, 128 + len(length)]) + length + content
    return bytes([tag, size]) + content


def require(holds, rule):
    if not holds:
        sys.exit("does not hold: " + rule)
    print("holds: " + rule)


def openssl(*arguments, data=None):
    return subprocess.run(["openssl", *arguments], input=data, capture_output=True, timeout=60, check=False)


def digest_of(name, data):
    result = openssl("dgst", "-" + name, "-binary", data=data)
    if result.returncode != 0:
        sys.exit("openssl has no " + name + ": " + result.stderr.decode())
    return result.stdout


def openssl_verifies(kind, point, message, signature):
    for name, content in ("key", kind.public_key_info(point)), ("message", message), ("signature", signature):
        with open("signed." + name, "wb") as file:
            file.write(content)
    result = openssl("dgst", "-" + kind.digest, "-verify", "signed.key", "-keyform", "DER", "-signature",
                     "signed.signature", "signed.message")
    return result.returncode == 0 and result.stdout.strip() == b"Verified OK"


def check_digests(session):
    message = os.urandom(1000)
    for name, mechanism in DIGESTS.items():
        digest = bytes(session.digest(message, PyKCS11.Mechanism(mechanism)))
        require(digest == digest_of(name, message), "the digest " + name + " is OpenSSL's")


def make_keys(session, kind):
    public = [
        (PyKCS11.CKA_TOKEN, PyKCS11.CK_FALSE), (PyKCS11.CKA_PRIVATE, PyKCS11.CK_FALSE),
        (PyKCS11.CKA_VERIFY, PyKCS11.CK_TRUE), (PyKCS11.CKA_KEY_TYPE, kind.key_type),
        (PyKCS11.CKA_GOSTR3410_PARAMS, kind.curve), (PyKCS11.CKA_GOSTR3411_PARAMS, kind.hash_oid),
    ]
    private = [
        (PyKCS11.CKA_TOKEN, PyKCS11.CK_FALSE), (PyKCS11.CKA_PRIVATE, PyKCS11.CK_TRUE),
        (PyKCS11.CKA_SIGN, PyKCS11.CK_TRUE), (PyKCS11.CKA_KEY_TYPE, kind.key_type),
    ]
    return session.generateKeyPair(public, private, PyKCS11.Mechanism(kind.generation))


def check_signatures(session, kind):
    public, private = make_keys(session, kind)
    point = bytes(session.getAttributeValue(public, [PyKCS11.CKA_VALUE])[0])
    require(len(point) == 2 * kind.size, kind.name + ": the public key is two coordinates")
    message = os.urandom(333)
    digest = digest_of(kind.digest, message)
    for what, mechanism, data in ("a message", kind.with_hash, message), ("a digest", kind.raw, digest):
        rule = kind.name + ": the signature of " + what
        mechanism = PyKCS11.Mechanism(mechanism)
        signature = bytes(session.sign(private, data, mechanism))
        require(openssl_verifies(kind, point, message, signature), rule + " is good to OpenSSL")
        require(session.verify(public, data, signature, mechanism), rule + " is good to the library")
        changed = bytearray(signature)
        changed[5] ^= 1
        require(not openssl_verifies(kind, point, message, bytes(changed)), rule + ", changed, is bad to OpenSSL")
        require(not session.verify(public, data, bytes(changed), mechanism), rule + ", changed, is bad to the library")


def main(module, serial, pin):
    library = PyKCS11.PyKCS11Lib()
    library.load(module)
    slots = [slot for slot in library.getSlotList(tokenPresent=True)
             if library.getTokenInfo(slot).serialNumber.strip() == serial]
    if len(slots) != 1:
        sys.exit("there are " + str(len(slots)) + " tokens of the serial number " + serial)
    session = library.openSession(slots[0], PyKCS11.CKF_SERIAL_SESSION | PyKCS11.CKF_RW_SESSION)
    session.login(pin)
    check_digests(session)
    for kind in KINDS:
        check_signatures(session, kind)


main(*sys.argv[1:])
