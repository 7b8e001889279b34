# SPDX-License-Identifier: Apache-2.0
"""PDF files of pyHanko.

pdf.py make FILE              makes a file of one page
pdf.py append FILE RESULT     appends an update, as programs do that change a file
pdf.py parts FILE             writes the message of the last signature to "message", and the signed bytes to "content"
pdf.py verify FILE ROOT       verifies the signature with these roots, and its time stamp, if it has one
"""
import asyncio
import sys

from pyhanko.keys import load_certs_from_pemder
from pyhanko.pdf_utils import generic, writer
from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
from pyhanko.pdf_utils.reader import PdfFileReader
from pyhanko.sign.validation import async_validate_pdf_signature
from pyhanko_certvalidator import ValidationContext


def make(name):
    document = writer.PdfFileWriter()
    content = generic.StreamObject(stream_data=b"0 0 100 100 re f")
    document.insert_page(writer.PageObject(contents=document.add_object(content), media_box=(0, 0, 200, 200)))
    with open(name, "wb") as file:
        document.write(file)


def append(name, result):
    with open(name, "rb") as file:
        document = IncrementalPdfFileWriter(file)
        document.root["/PageMode"] = generic.NameObject("/UseThumbs")
        document.update_root()
        with open(result, "wb") as output:
            document.write(output)


def parts(name):
    with open(name, "rb") as file:
        signature = PdfFileReader(file).embedded_signatures[-1]
        first, count, second, rest = signature.byte_range
        with open("message", "wb") as message:
            message.write(signature.pkcs7_content)
        file.seek(0)
        data = file.read()
        with open("content", "wb") as content:
            content.write(data[first : first + count] + data[second : second + rest])


def verify(name, roots):
    context = ValidationContext(trust_roots=list(load_certs_from_pemder([roots])))
    with open(name, "rb") as file:
        signature = PdfFileReader(file).embedded_signatures[-1]
        status = asyncio.run(async_validate_pdf_signature(signature, context, context))
    print("good" if status.bottom_line else "not good", status.coverage.name, status.modification_level.name)
    attributes = sorted(attribute["type"].native for attribute in signature.signer_info["signed_attrs"])
    print("attributes", *attributes)
    if status.timestamp_validity is not None:
        print("stamp", "good" if status.timestamp_validity.trusted else "not good")


globals()[sys.argv[1]](*sys.argv[2:])
