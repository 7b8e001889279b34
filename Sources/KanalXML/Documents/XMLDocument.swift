// SPDX-License-Identifier: Apache-2.0
import CXML
import KanalKit
import Locking
import Translation

/// A document in memory, read by libxml2. It is for one thread at a time.
@safe final class XMLDocument {
    private let document: OpaquePointer
    /// The document as it was read.
    let bytes: [UInt8]
    /// The most bytes that a canonical form has.
    let longestForm: Int

    /// - Throws: ``XMLFault/libraryMissing``, ``XMLFault/notXML(_:)``, ``XMLFault/refused(_:)``.
    init(_ bytes: [UInt8]) throws(XMLFault) {
        longestForm = try Markup.check(bytes)
        guard CXML_load() == 1 else { throw .libraryMissing }
        var message = [CChar](repeating: 0, count: 256)
        var line: CInt = 0
        let parsed = unsafe bytes.withUnsafeBufferPointer { bytes in
            unsafe CXML_parse(bytes.baseAddress, bytes.count, &message, message.count, &line)
        }
        guard let parsed = unsafe parsed else {
            let text = String(decoding: message.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            throw text.isEmpty
                ? .refused("there is not enough memory for the document")
                : .notXML("line \(Int(line)): \(text)")
        }
        (unsafe document, self.bytes) = unsafe (parsed, bytes)
        guard unsafe CXML_has_type(document) == 0 else {
            throw .refused("the document has a document type (DTD), which can change its meaning: take it out")
        }
    }

    /// The number of bytes of a document above which another thread gives its memory back, which lasts an eighth of all work
    /// with it.
    private static let large = 1 << 20

    deinit {
        let address = unsafe UInt(bitPattern: document)
        if bytes.count > Self.large, BlockingThread.start({ unsafe CXML_free(OpaquePointer(bitPattern: address)) }) {
            return
        }
        unsafe CXML_free(document)
    }

    /// The outermost element.
    ///
    /// - Throws: ``XMLFault/notXML(_:)`` if there is none.
    var root: XMLElement {
        get throws(XMLFault) {
            guard let node = unsafe CXML_root(document) else { throw .notXML("the document has no element") }
            return unsafe XMLElement(node, of: self)
        }
    }

    /// Writes the canonical form of the document or a part of it.
    ///
    /// - Parameters:
    ///   - top: The element to write, with all in it; nil for the document.
    ///   - without: An element to leave out.
    ///   - write: Gets the bytes piece by piece.
    /// - Throws: ``XMLFault/refused(_:)`` for namespaces that have no canonical form.
    func canonicalize(
        _ top: XMLElement?, without: XMLElement?, by form: Canonicalization,
        write: (Span<UInt8>) -> Void
    ) throws(XMLFault) {
        let texts = form.prefixTexts
        let isWritten = withoutActuallyEscaping(write) { write in
            let sink = Sink(write)
            return unsafe CXML_canonicalize(
                document, top?.node, without?.node, form.kind, texts, texts.count,
                { context, bytes, count in
                    guard let context = unsafe context, let bytes = unsafe bytes else { return }
                    let sink = unsafe Unmanaged<Sink>.fromOpaque(context).takeUnretainedValue()
                    let buffer = unsafe UnsafeBufferPointer(start: bytes, count: Int(count))
                    sink.write(unsafe buffer.span)
                }, Unmanaged.passUnretained(sink).toOpaque())
        }
        guard isWritten == 1 else {
            throw .refused("libxml2 has no canonical form for the document: a namespace's name is relative, or no URI")
        }
    }

    /// The same in memory.
    func canonicalForm(
        of top: XMLElement?, without: XMLElement? = nil, by form: Canonicalization
    ) throws(XMLFault) -> [UInt8] {
        var bytes: [UInt8] = []
        try canonicalize(top, without: without, by: form) { piece in
            unsafe piece.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
        }
        return bytes
    }

    private final class Sink {
        let write: (Span<UInt8>) -> Void

        init(_ write: @escaping (Span<UInt8>) -> Void) { self.write = write }
    }
}
