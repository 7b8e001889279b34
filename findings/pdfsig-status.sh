#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Expectation: pdfsig, which verifies the signatures in a PDF file, ends with another status than 0 if one is wrong, as "openssl cms
# -verify", gpgsm and "gpgv" do; its manual has no word on that.
# Seen: poppler 22.12 says "Digest Mismatch." of a file that was changed after it had been signed, and ends with status 0.
# Consequence: a script that goes by the status accepts such files. It has to find "Signature is Valid." and "Total document signed"
# for each signature in what pdfsig prints.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

version=22.12.0 pyhanko=0.38.0
timeout 20 pdfsig -v > version 2>&1 || true
grep -qF "pdfsig version $version" version || { echo "needs pdfsig $version (poppler-utils)"; exit 1; }
python3 -m venv python
timeout 300 python/bin/pip install -q "pyHanko==$pyhanko"
OPENSSL_CONF=/dev/null timeout 60 openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out certificate.pem -days 3 -subj /CN=Signer \
    -addext keyUsage=digitalSignature,nonRepudiation -config <(printf '[req]\ndistinguished_name = name\n[name]\n') 2> log
timeout 60 python/bin/python - << 'END'
import io
from pyhanko.pdf_utils import generic, writer
from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
from pyhanko.sign import signers

document, file = writer.PdfFileWriter(), io.BytesIO()
content = document.add_object(generic.StreamObject(stream_data=b"0 0 100 100 re f"))
document.insert_page(writer.PageObject(contents=content, media_box=(0, 0, 200, 200)))
document.write(file)
signer = signers.SimpleSigner.load("key.pem", "certificate.pem")
metadata = signers.PdfSignatureMetadata(field_name="Signature")
with open("signed.pdf", "wb") as output:
    signers.sign_pdf(IncrementalPdfFileWriter(file), metadata, signer, output=output)
END
LC_ALL=C sed 's/0 0 100 100 re f/0 0 100 101 re f/' signed.pdf > changed.pdf
for file in signed changed; do
    status=0
    HOME=$dir timeout 20 pdfsig -nocert $file.pdf > $file.log 2>&1 || status=$?
    echo "$file.pdf: exit status $status, \"$(sed -n 's/.*Signature Validation: //p' $file.log)\""
    echo $status > $file.status
done

echo "pdfsig $version, a file of pyHanko $pyhanko, and the same with a changed byte"
grep -qF 'Signature is Valid.' signed.log || { echo "differs: the signed file is not valid"; exit 1; }
grep -qF 'Digest Mismatch.' changed.log || { echo "differs: no mismatch of the changed file"; exit 1; }
[ "$(cat changed.status)" = 0 ] || { echo "differs: another status for the changed file"; exit 1; }
echo "still so: status 0 with a wrong signature"
