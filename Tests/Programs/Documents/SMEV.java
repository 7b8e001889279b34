// SPDX-License-Identifier: Apache-2.0
// SMEV FILE...: the form of SMEV 3 (urn://smev-gov-ru/xmldsig/transform) of documents in canonical form, by the events of Java's
// StAX, as the methodical recommendations describe it. Each is written to FILE.smev.

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import javax.xml.namespace.QName;
import javax.xml.stream.XMLEventReader;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;
import javax.xml.stream.events.Attribute;
import javax.xml.stream.events.StartElement;
import javax.xml.stream.events.XMLEvent;

class SMEV {
    // Attributes without a namespace are last.
    private static final Comparator<Attribute> ORDER = Comparator
        .comparing((Attribute attribute) -> attribute.getName().getNamespaceURI().isEmpty())
        .thenComparing(attribute -> attribute.getName().getNamespaceURI())
        .thenComparing(attribute -> attribute.getName().getLocalPart());

    private final XMLStreamWriter output;
    // The prefixes by namespace that are known in each open element.
    private final Deque<Map<String, String>> known = new ArrayDeque<>();
    private int count;

    private SMEV(XMLStreamWriter output) {
        this.output = output;
        known.push(new HashMap<>());
    }

    public static void main(String[] names) throws Exception {
        for (String name : names) {
            Files.write(Path.of(name + ".smev"), form(Files.readAllBytes(Path.of(name))));
        }
    }

    static byte[] form(byte[] document) throws XMLStreamException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        XMLStreamWriter output = XMLOutputFactory.newInstance().createXMLStreamWriter(bytes, "UTF-8");
        SMEV form = new SMEV(output);
        XMLEventReader events =
            XMLInputFactory.newInstance().createXMLEventReader(new ByteArrayInputStream(document), "UTF-8");
        while (events.hasNext()) {
            form.add(events.nextEvent());
        }
        output.flush();
        return bytes.toByteArray();
    }

    private void add(XMLEvent event) throws XMLStreamException {
        if (event.isStartElement()) {
            start(event.asStartElement());
        } else if (event.isEndElement()) {
            output.writeEndElement();
            known.pop();
        } else if (event.isCharacters() && !event.asCharacters().getData().trim().isEmpty()) {
            output.writeCharacters(event.asCharacters().getData());
        }
    }

    private void start(StartElement element) throws XMLStreamException {
        Map<String, String> prefixes = new HashMap<>(known.peek());
        known.push(prefixes);
        List<Attribute> attributes = new ArrayList<>();
        for (Iterator<Attribute> all = element.getAttributes(); all.hasNext();) {
            attributes.add(all.next());
        }
        attributes.sort(ORDER);
        List<String> used = new ArrayList<>();
        used.add(element.getName().getNamespaceURI());
        for (Attribute attribute : attributes) {
            used.add(attribute.getName().getNamespaceURI());
        }
        List<String> added = new ArrayList<>();
        for (String namespace : used) {
            if (!namespace.isEmpty() && !prefixes.containsKey(namespace)) {
                prefixes.put(namespace, "ns" + ++count);
                added.add(namespace);
            }
        }
        QName name = element.getName();
        output.writeStartElement(prefixes.get(name.getNamespaceURI()), name.getLocalPart(), name.getNamespaceURI());
        for (String namespace : added) {
            output.writeNamespace(prefixes.get(namespace), namespace);
        }
        for (Attribute attribute : attributes) {
            QName own = attribute.getName();
            if (own.getNamespaceURI().isEmpty()) {
                output.writeAttribute(own.getLocalPart(), attribute.getValue());
            } else {
                output.writeAttribute(
                    prefixes.get(own.getNamespaceURI()), own.getNamespaceURI(), own.getLocalPart(), attribute.getValue());
            }
        }
    }
}
