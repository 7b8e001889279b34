# SPDX-License-Identifier: Apache-2.0
"""time-stamped.py MESSAGE: asn1crypto (python3-asn1crypto) on the structure of a CAdES-T message: each part is of the
type that RFC 5652, RFC 5035 and RFC 3161 say, those without keys of certificates are DER, and the stamp's imprint is of the
signature. It knows no keys of GOST."""
import subprocess
import sys

from asn1crypto import cms, tsp

hashes = {"1.2.643.7.1.1.2.2": "md_gost12_256", "1.2.643.7.1.1.2.3": "md_gost12_512"}


def digest(algorithm, octets):
    """By openssl, which knows the functions of GOST."""
    name = algorithm["algorithm"].native
    command = ["openssl", "dgst", "-" + hashes.get(name, name), "-binary"]
    return subprocess.run(command, input=octets, stdout=subprocess.PIPE, check=True, timeout=60).stdout


def parsed(octets, content_type):
    message = cms.ContentInfo.load(octets, strict=True)
    assert message["content_type"].native == "signed_data"
    assert message["content"]["encap_content_info"]["content_type"].native == content_type
    signed = message["content"]
    for part in [signed["digest_algorithms"], signed["encap_content_info"], *(s["signed_attrs"] for s in signed["signer_infos"])]:
        assert part.dump() == part.copy().dump(force=True), "a part is not DER"
    return signed


def attributes(signer, kind):
    """The single values of attributes; those that are signed stand in the order of DER."""
    found = signer[kind]
    if kind == "signed_attrs":
        each = [attribute.dump() for attribute in found]
        assert each == sorted(each), "the signed attributes are not in order"
    values = {attribute["type"].native: attribute["values"] for attribute in found}
    assert len(values) == len(found), "an attribute is there twice"
    assert all(len(value) == 1 for value in values.values()), "an attribute has several values"
    return {name: value[0] for name, value in values.items()}


def certificate_hash(signed, kind):
    """The hash by which the signer names its certificate, and the function."""
    first = signed[kind]["certs"][0]
    return first["cert_hash"].native, first["hash_algorithm"]


with open(sys.argv[1], "rb") as file:
    message = parsed(file.read(), "data")
certificates = [certificate.chosen.dump() for certificate in message["certificates"]]
for signer in message["signer_infos"]:
    signed = attributes(signer, "signed_attrs")
    assert signed["content_type"].native == "data"
    named, function = certificate_hash(signed, "signing_certificate_v2")
    assert named in [digest(function, each) for each in certificates], "another certificate is named"
    unsigned = attributes(signer, "unsigned_attrs")
    assert list(unsigned) == ["signature_time_stamp_token"], list(unsigned)
    stamp = parsed(unsigned["signature_time_stamp_token"].dump(), "tst_info")
    info = stamp["encap_content_info"]["content"].parsed
    assert isinstance(info, tsp.TSTInfo) and info["version"].native == "v1"
    imprint = info["message_imprint"]
    assert imprint["hashed_message"].native == digest(imprint["hash_algorithm"], signer["signature"].native)
    authority = attributes(stamp["signer_infos"][0], "signed_attrs")
    assert authority["content_type"].native == "tst_info"
print("CAdES-T")
