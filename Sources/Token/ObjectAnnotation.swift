/// What is kept of an object beyond what the vendor's format has a place for: attributes by a number that the driver does
/// not interpret.
package struct ObjectAnnotation: Sendable, Equatable {
    /// Whether only User sees an object that everybody could see otherwise.
    package var isPrivate = false
    @GuardedAttributes package var attributes: [UInt32: [UInt8]] = [:]
    /// The file of the annotation's own record; 0 if it has none.
    var file: UInt16 = 0

    package init(isPrivate: Bool = false, attributes: [UInt32: [UInt8]] = [:]) {
        self.isPrivate = isPrivate
        self.attributes = attributes
    }

    /// Whether nothing needs to be kept.
    var isEmpty: Bool { !isPrivate && attributes.isEmpty }
}

extension ObjectRecord {
    /// The record of an annotation, which has the path of the record that it belongs to.
    init(_ annotation: ObjectAnnotation, of file: UInt16, on shelf: Shelf) {
        self.init(kind: .annotation, keyNumber: 0, items: [(.target, shelf.file(file).bytes)])
        isPrivate = annotation.isPrivate
        append(annotation.attributes)
    }

    /// - Returns: nil if the record is no annotation.
    func annotation(in file: UInt16) -> ObjectAnnotation? {
        guard kind == .annotation else { return nil }
        var annotation = ObjectAnnotation(isPrivate: isPrivate, attributes: attributes)
        annotation.file = file
        return annotation
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

extension TokenObjects {
    /// Attaches an annotation to what it belongs to. That may be gone, if another program deleted it.
    ///
    /// - Parameter target: The path of the record.
    mutating func attach(_ annotation: ObjectAnnotation, to target: [UInt8]?) {
        if let index = keys.firstIndex(where: { Shelf.keys.file($0.file).bytes == target }) {
            keys[index].annotation = annotation.of(keys[index].half)
        } else if let index = rsaKeys.firstIndex(where: { Shelf.keys.file($0.file).bytes == target }) {
            rsaKeys[index].annotation = annotation.of(rsaKeys[index].half)
        } else if let index = ecKeys.firstIndex(where: { Shelf.keys.file($0.file).bytes == target }) {
            ecKeys[index].annotation = annotation.of(ecKeys[index].half)
        } else if let index = certificates.firstIndex(where: { Shelf.certificates.file($0.file).bytes == target }) {
            certificates[index].annotation = annotation
        }
    }
}

extension ObjectAnnotation {
    /// Private keys are private anyway, and so is what is said of them.
    fileprivate func of(_ half: TokenKey.Half) -> ObjectAnnotation {
        var annotation = self
        if half == .privateKey { annotation.isPrivate = false }
        return annotation
    }
}
