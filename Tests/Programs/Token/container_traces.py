# SPDX-License-Identifier: Apache-2.0
# container_traces.py MODULE SLOT PIN ID SECRETS < PASSWORD: signs with the key of a container, and looks for secrets in the
# memory of the process afterwards. SECRETS are hexadecimal, each byte inverted, so that this program has none itself;
# arguments would be kept with four bytes for each character, as the password is hashed. Without a PIN the container is in a
# folder: its password, if there is one, is the PIN.
import ctypes
import sys

module, slot, pin, key_id, secrets = sys.argv[1:]
password = sys.stdin.buffer.read()
secrets = [bytes.fromhex(secret) for secret in secrets.split(",")]
library = ctypes.CDLL(module)
number = ctypes.c_ulong


class Attribute(ctypes.Structure):
    _fields_ = [("type", number), ("value", ctypes.c_void_p), ("length", number)]


class Mechanism(ctypes.Structure):
    _fields_ = [("type", number), ("parameter", ctypes.c_void_p), ("length", number)]


def call(name, *arguments):
    status = getattr(library, name)(*arguments)
    assert status == 0, f"{name}: {status:#x}"


def log_in(user, text):
    call("C_Login", session, number(user), text, number(len(text)))


def found():
    inversion = bytes(255 - byte for byte in range(256))
    count = 0
    with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb", 0) as memory:
        for line in maps.read().splitlines():
            start, end = (int(part, 16) for part in line.split()[0].split("-"))
            if "r" not in line.split()[1] or "[v" in line:
                continue
            try:
                memory.seek(start)
                content = memory.read(end - start)
            except OSError:
                continue
            count += len(content)
            inverted = content.translate(inversion)
            for place, secret in enumerate(secrets):
                assert secret not in inverted, f"secret {place} is in the memory: {line}"
    return count


call("C_Initialize", None)
session = number()
call("C_OpenSession", number(int(slot)), number(4), None, None, ctypes.byref(session))
if pin:
    log_in(1, pin.encode())
elif password:
    log_in(1, password)
identifier, kind = bytes.fromhex(key_id), number(3)
template = (Attribute * 2)(
    Attribute(0, ctypes.addressof(kind), ctypes.sizeof(kind)),
    Attribute(0x102, ctypes.cast(identifier, ctypes.c_void_p), len(identifier)),
)
call("C_FindObjectsInit", session, template, number(2))
key, count = number(), number()
call("C_FindObjects", session, ctypes.byref(key), number(1), ctypes.byref(count))
call("C_FindObjectsFinal", session)
assert count.value == 1, "the key is not there"
for _ in range(3):
    call("C_SignInit", session, ctypes.byref(Mechanism(0x1201, None, 0)), key)
    if pin and password:
        log_in(2, password)
    signature, size = ctypes.create_string_buffer(64), number(64)
    call("C_Sign", session, bytes(32), number(32), signature, ctypes.byref(size))
    assert size.value == 64
looked = found()
assert looked > 1 << 20
print(f"no secret in {looked} bytes")
