// SPDX-License-Identifier: Apache-2.0
import KanalKit
@testable import KanalXML

/// A document of XML, whatever it is: its signatures are refused or read, its canonical form has itself as its canonical form, and the
/// tags of its elements are where they are found.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzDocuments(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    _ = try? SignatureReader(bytes).signatures(covering: [])
    guard let document = try? XMLDocument(bytes), let root = try? document.root else { return 0 }
    var number = 0
    try? root.forEach { element throws(XMLFault) in
        let tags = try Markup.element(number, of: bytes)
        guard let tags, bytes[tags.start].first == UInt8(ascii: "<"), bytes[tags.start].last == UInt8(ascii: ">")
        else {
            fatalError("no tags of element \(number)")
        }
        guard tags.isEmpty || bytes[tags.end].starts(with: Array("</".utf8)) else {
            fatalError("no end of \(element.name)")
        }
        number += 1
        return number < 64
    }
    for form in [Canonicalization.inclusive, .exclusive(prefixes: ["a", "#default"])] {
        guard let written = try? document.canonicalForm(of: nil, by: form) else { continue }
        guard let again = try? XMLDocument(written).canonicalForm(of: nil, by: form), again == written else {
            fatalError("another canonical form")
        }
    }
    guard let smev = try? SMEVTransform.bytes(of: root) else { return 0 }
    guard let read = try? XMLDocument(smev).root, (try? SMEVTransform.bytes(of: read)) != nil else {
        fatalError("another form of SMEV")
    }
    return 0
}
