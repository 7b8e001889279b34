#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""moved_point.py IN OUT: a transported key of GOST whose ephemeral public key is not a point of its curve."""
import sys

with open(sys.argv[1], "rb") as file:
    transported = bytearray(file.read())
# A BIT STRING around an OCTET STRING of 64 or 128 bytes, which begins with x.
marks = [mark for mark in (b"\x00\x04\x40", b"\x00\x04\x81\x80") if mark in transported]
if len(marks) != 1:
    sys.exit("there is no ephemeral key")
transported[transported.index(marks[0]) + len(marks[0])] ^= 1
with open(sys.argv[2], "wb") as file:
    file.write(transported)
