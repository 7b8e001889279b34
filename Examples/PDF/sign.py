#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""sign.py KEY DOCUMENT RESULT: signs a PDF file with a key of a token and its certificate of the same label (PAdES-B-B, and with a
time stamp PAdES-B-T). pyHanko prepares and closes the file. Keys of RSA and P-256 sign by PKCS #11; with --kanal the command
"kanal" makes the message, for keys of each kind, also of GOST, which pyHanko does not know. The PIN is in the variable PIN.

    python3 -m venv pdf && pdf/bin/pip install -r Examples/PDF/requirements.txt
    PIN=12345678 pdf/bin/python Examples/PDF/sign.py --kanal mine contract.pdf signed.pdf
"""
import argparse
import asyncio
import os
import subprocess

import pkcs11
from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
from pyhanko.sign import fields, signers, timestamps
from pyhanko.sign.pkcs11 import PKCS11Signer


def sign_by_pkcs11(options, document, description):
    """pyHanko makes the message; the token signs it."""
    token = pkcs11.lib(options.module).get_token(token_serial=options.token and options.token.encode())
    session = token.open(user_pin=os.environ["PIN"])
    try:
        signer = PKCS11Signer(session, cert_label=options.key, key_label=options.key)
        stamper = timestamps.HTTPTimeStamper(options.timestamp) if options.timestamp else None
        return signers.PdfSigner(description, signer, timestamper=stamper).sign_pdf(document)
    finally:
        session.close()


def sign_by_kanal(options, document, description):
    """kanal makes the message of the bytes around its place, and pyHanko puts it there."""
    # The message is a hexadecimal string: two digits for each byte. pyHanko takes their number, and puts zeros behind it.
    digits = 32768 if options.timestamp else 16384
    signer = signers.PdfSigner(description, signers.ExternalSigner(signing_cert=None, cert_registry=None))
    place, _, result = asyncio.run(signer.async_digest_doc_for_signing(document, bytes_reserved=digits))
    data = result.getvalue()
    signed = data[: place.reserved_region_start] + data[place.reserved_region_end :]
    command = ["kanal", "sign", "--cms", "--detached", "--pades", "--key", options.key, "--pin-source", "env:PIN", "-"]
    if options.token:
        command += ["--token", options.token]
    if options.timestamp:
        command += ["--timestamp", options.timestamp, "--ca", options.ca]
    place.fill_with_cms(result, subprocess.run(command, input=signed, stdout=subprocess.PIPE, check=True).stdout)
    return result


parser = argparse.ArgumentParser(description="Signs a PDF file with a key of a token.")
parser.add_argument("--kanal", action="store_true", help="have the command kanal make the message")
parser.add_argument("--module", default="libkanal-pkcs11.so", help="the PKCS #11 library (default: Kanal's)")
parser.add_argument("--token", metavar="SERIAL", help="the token's serial number, if there are several")
parser.add_argument("--timestamp", metavar="URL", help="an authority that stamps the time of the signature")
parser.add_argument("--ca", metavar="FILE", help="with --kanal: the certificate that the authority's leads to")
parser.add_argument("key", help="the label of the key and of its certificate")
parser.add_argument("document")
parser.add_argument("result", help="a new file")
options = parser.parse_args()
description = signers.PdfSignatureMetadata(
    field_name="Signature", md_algorithm="sha256", subfilter=fields.SigSeedSubFilter.PADES
)
with open(options.document, "rb") as file:
    sign = sign_by_kanal if options.kanal else sign_by_pkcs11
    signed = sign(options, IncrementalPdfFileWriter(file), description)
with open(options.result, "xb") as file:
    file.write(signed.getvalue())
