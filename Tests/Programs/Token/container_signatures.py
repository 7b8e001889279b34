# SPDX-License-Identifier: Apache-2.0
# container_signatures.py MODULE SLOT PIN COUNT KEY...: signs COUNT messages, in turn with keys, and writes the signature of each
# into the directory "signed", under its number. KEY is an identifier and a mechanism. Any failure ends the program.
import sys

import PyKCS11

module, slot, pin, count, *keys = sys.argv[1:]
library = PyKCS11.PyKCS11Lib()
library.load(module)
session = library.openSession(int(slot), PyKCS11.CKF_SERIAL_SESSION)
session.login(pin)


def find(text):
    identifier, mechanism = text.split(":")
    template = [(PyKCS11.CKA_CLASS, PyKCS11.CKO_PRIVATE_KEY), (PyKCS11.CKA_ID, bytes.fromhex(identifier))]
    (key,) = session.findObjects(template)
    return key, PyKCS11.Mechanism(int(mechanism, 16))


found = [find(key) for key in keys]
for number in range(int(count)):
    key, mechanism = found[number % len(found)]
    signature = session.sign(key, f"message {number}".encode(), mechanism)
    with open(f"signed/{number}", "wb") as file:
        file.write(bytes(signature))
session.logout()
