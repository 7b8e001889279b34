#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Expectation: the packages of PyPI for the transform of SMEV 3 write markup in attribute values as references, as canonical forms do; the
# page of smev-transform says so of its 2.0 ("Шаг 9.2").
# Seen: smev-transform 2.0.0 and smev3Transform 1.0 write <, & and " in an attribute's value as they are, so that the result is no XML.
# smev-transform, which has a class for it and does not call it, does so in texts, too, and leaves out line breaks in them.
# Consequence: the digest of such an element is none that others compute. Values of attributes for partners with these packages have
# none of these three characters.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

timeout 120 python3 -m venv venv
timeout 300 venv/bin/pip -q --disable-pip-version-check install smev-transform==2.0.0 smev3Transform==1.0 lxml==6.1.3
cat > transform.py << 'END'
from lxml import etree
from smev3Transform.transform import Smev3Transform
from smev_transform import Transform

for xml in ('<a xmlns="urn:a" b="one"></a>', '<a xmlns="urn:a" b="1 &lt; 2"></a>', '<a xmlns="urn:a" b="R&amp;D"></a>',
            '<a xmlns="urn:a" b="&quot;one&quot;"></a>', '<a xmlns="urn:a">R&amp;D</a>', '<a xmlns="urn:a">one\ntwo</a>'):
    print("of", repr(xml))
    for name, result in (("smev-transform", Transform().process(xml)), ("smev3Transform", Smev3Transform(xml).run())):
        try:
            etree.fromstring(result)
            print(f"  {name}: {result!r}")
        except etree.XMLSyntaxError:
            print(f"  {name}: {result!r}, no XML")
END
timeout 60 venv/bin/python transform.py > seen
cat > stated << 'END'
of '<a xmlns="urn:a" b="one"></a>'
  smev-transform: '<ns1:a xmlns:ns1="urn:a" b="one"></ns1:a>'
  smev3Transform: '<ns1:a xmlns:ns1="urn:a" b="one"></ns1:a>'
of '<a xmlns="urn:a" b="1 &lt; 2"></a>'
  smev-transform: '<ns1:a xmlns:ns1="urn:a" b="1 < 2"></ns1:a>', no XML
  smev3Transform: '<ns1:a xmlns:ns1="urn:a" b="1 < 2"></ns1:a>', no XML
of '<a xmlns="urn:a" b="R&amp;D"></a>'
  smev-transform: '<ns1:a xmlns:ns1="urn:a" b="R&D"></ns1:a>', no XML
  smev3Transform: '<ns1:a xmlns:ns1="urn:a" b="R&D"></ns1:a>', no XML
of '<a xmlns="urn:a" b="&quot;one&quot;"></a>'
  smev-transform: '<ns1:a xmlns:ns1="urn:a" b=""one""></ns1:a>', no XML
  smev3Transform: '<ns1:a xmlns:ns1="urn:a" b=""one""></ns1:a>', no XML
of '<a xmlns="urn:a">R&amp;D</a>'
  smev-transform: '<ns1:a xmlns:ns1="urn:a">R&D</ns1:a>', no XML
  smev3Transform: '<ns1:a xmlns:ns1="urn:a">R&amp;D</ns1:a>'
of '<a xmlns="urn:a">one\ntwo</a>'
  smev-transform: '<ns1:a xmlns:ns1="urn:a">onetwo</ns1:a>'
  smev3Transform: '<ns1:a xmlns:ns1="urn:a">one\ntwo</ns1:a>'
END
echo "smev-transform 2.0.0, smev3Transform 1.0, lxml 6.1.3"
echo "expected: attribute values and texts keep their references"
cat seen
diff stated seen || { echo "differs: the lines of < are stated, those of > are seen"; exit 1; }
echo "still so: the results of both packages are no XML"
