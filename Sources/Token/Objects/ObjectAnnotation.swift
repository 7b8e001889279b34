// SPDX-License-Identifier: Apache-2.0

/// Properties of an object that the vendor's format has no place for: attributes, and whether only User sees it. An
/// annotation has a record of its own, with the path of the record that it belongs to.
extension ObjectRecord {
    init(annotating object: TokenObject, in file: UInt16) {
        self.init(kind: .annotation, keyNumber: 0, items: [(.target, object.directory.file(file).bytes)])
        isPrivate = object.isPrivate
        append(object.attributes)
    }

    /// Attributes: a number of four bytes, little-endian, then the value.
    var attributes: [UInt32: [UInt8]] {
        var attributes: [UInt32: [UInt8]] = [:]
        for item in items where item.code == Item.attribute.rawValue && item.value.count >= 4 {
            let type = item.value.prefix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            attributes[type] = Array(item.value.dropFirst(4))
        }
        return attributes
    }

    mutating func append(_ attributes: [UInt32: [UInt8]]) {
        for (type, value) in attributes.sorted(by: { $0.key < $1.key }) {
            let number = (0..<4).map { UInt8(truncatingIfNeeded: type >> (8 * UInt32($0))) }
            items.append((Item.attribute.rawValue, number + value))
        }
    }
}

extension TokenObject {
    /// Whether there is anything to annotate. A private key is private anyway.
    var needsAnnotation: Bool { isVendors && (!attributes.isEmpty || isPrivate && key?.half != .privateKey) }
}

extension [TokenObject] {
    /// Attaches an annotation to its object, which may be gone if another program deleted it.
    mutating func attach(_ annotation: ObjectRecord, in file: UInt16) {
        let target = annotation[.target]
        guard let index = firstIndex(where: { $0.isVendors && $0.directory.file($0.file).bytes == target }) else {
            return
        }
        self[index].annotation = file
        self[index].attributes = annotation.attributes
        if annotation.isPrivate { self[index].isPrivate = true }
    }
}
