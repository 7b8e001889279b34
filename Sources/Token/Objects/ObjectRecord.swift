// SPDX-License-Identifier: Apache-2.0

import APDU
import Secrets

/// The attributes of one object as the vendor's format stores them: a header, then items.
package struct ObjectRecord: Equatable {
    /// The kind, by the first two bytes.
    package enum Kind: String {
        case publicKey = "Pk"
        case privateKey = "Pr"
        case certificate = "Ct"
        /// This project's own, as the next: the vendor's is not known.
        case data = "Dt"
        case secretKey = "Sk"
        /// A public key that no key file belongs to.
        case publicValue = "Pv"
        /// An annotation of another record's object.
        case annotation = "An"
    }

    /// The kind of an item.
    package enum Item: Int {
        case label = 0x0000
        case subject = 0x0001
        case id = 0x0002
        case value = 0x0008
        /// Four bytes, zero.
        case category = 0x000B
        case gostR3410Parameters = 0x000C
        case gostR3411Parameters = 0x000D
        case gost28147Parameters = 0x000E
        /// One byte, zero.
        case trusted = 0x000F
        /// Four bytes each, zero; their meaning is unknown.
        case certificate10 = 0x0010
        case certificate11 = 0x0011
        case ecParameters = 0x0018
        /// Codes of this project's own, in records of its own.
        case application = 0x7F00
        case objectIdentifier = 0x7F01
        case target = 0x7F02
        case attribute = 0x7F03
        /// The file of a secret key's value, two bytes.
        case valueFile = 0x7F04
    }

    var kind: Kind
    /// The number of the key file; 0 for a certificate.
    var keyNumber: UInt8
    /// Whether only User may read the record. The vendor's records do not say so themselves.
    package var isPrivate = false
    /// Header bytes 6 and 7 as they were read from the vendor's record.
    private var readFlags: [UInt8]?
    /// Items by their code, in the order of the record. Unknown codes are preserved.
    package var items: [(code: Int, value: [UInt8])]
    /// The range of the value in the file, of a record of which only the beginning was read.
    package private(set) var unreadValue: Range<Int>?

    package init(kind: Kind, keyNumber: UInt8, items: [(Item, [UInt8])]) {
        self.kind = kind
        self.keyNumber = keyNumber
        self.items = items.map { ($0.0.rawValue, $0.1) }
    }

    /// - Parameter isStart: Whether more of the record follows. It is then known up to its value, which must be cut
    ///   off.
    /// - Returns: nil if this is not a record, or of a kind that is not known.
    package init?(parsing bytes: [UInt8], isStart: Bool = false) {
        var cursor = ByteCursor(bytes)
        guard let magic = try? cursor.bytes(2), let kind = Kind(rawValue: String(decoding: magic, as: UTF8.self)),
            (try? cursor.bytes(4)) != nil, let flags = try? cursor.littleEndianUInt16(),
            let keyNumber = try? cursor.littleEndianUInt16()
        else { return nil }
        self.kind = kind
        self.keyNumber = UInt8(truncatingIfNeeded: keyNumber)
        if kind.vendorsFlags == nil {
            isPrivate = flags & 0x01 != 0
        } else {
            readFlags = [UInt8(truncatingIfNeeded: flags), UInt8(truncatingIfNeeded: flags >> 8)]
        }
        items = []
        while !cursor.isAtEnd {
            guard let code = try? cursor.littleEndianUInt16(), let length = try? cursor.littleEndianUInt16() else {
                return nil
            }
            let rest = cursor.count
            guard let value = try? cursor.bytes(length) else {
                guard isStart, code == Item.value.rawValue else { return nil }
                unreadValue = bytes.count - rest..<bytes.count - rest + length
                return
            }
            items.append((code, value))
        }
        if isStart { return nil }
    }

    /// A record of which only the beginning was read; nil if its value begins too late, so that no record is parsed
    /// again and again.
    init?(_ start: [UInt8]) {
        guard start.count <= 1024 else { return nil }
        self.init(parsing: start, isStart: true)
    }

    /// The bytes of a record with this beginning that describe its object: up to the value of a certificate, behind
    /// which nothing of interest is, and of a data object that ends with it. nil if they are not all there.
    ///
    /// - Parameter size: The bytes of the file, if that is known.
    static func description(in start: [UInt8], size: Int?) -> Int? {
        guard let record = ObjectRecord(start), let value = record.unreadValue else { return nil }
        guard record.kind == .certificate || record.kind == .data && value.upperBound == size else { return nil }
        return value.lowerBound
    }

    /// The record as it is stored.
    package var encoded: [UInt8] {
        let flags = readFlags ?? kind.vendorsFlags ?? [isPrivate ? 0x01 : 0x00, 0x00]
        var bytes = Array(kind.rawValue.utf8) + [0x01, 0x00, 0x00, 0x00] + flags
        bytes.appendLittleEndianUInt16(Int(keyNumber))
        for item in items {
            bytes.appendLittleEndianUInt16(item.code)
            bytes.appendLittleEndianUInt16(item.value.count)
            bytes += item.value
        }
        return bytes
    }

    subscript(item: Item) -> [UInt8]? {
        get { items.first { $0.code == item.rawValue }?.value }
        set {
            let index = items.firstIndex { $0.code == item.rawValue }
            switch (index, newValue) {
            case (let index?, let value?): items[index].value = value
            case (nil, let value?): items.append((item.rawValue, value))
            case (let index?, nil): items.remove(at: index)
            case (nil, nil): break
            }
        }
    }

    package static func == (left: ObjectRecord, right: ObjectRecord) -> Bool { left.encoded == right.encoded }
}

extension ObjectRecord.Kind {
    /// Header bytes 6 and 7, as the vendor's library writes them; nil for kinds that it knows nothing of.
    fileprivate var vendorsFlags: [UInt8]? {
        switch self {
        case .publicKey: [0x64, 0x00]
        case .privateKey: [0x4A, 0x01]
        case .certificate: [0x01, 0x00]
        case .data, .secretKey, .publicValue, .annotation: nil
        }
    }
}

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

/// The same for a value that need not be there.
@propertyWrapper
package struct GuardedValue: Sendable, Equatable {
    private var secret: SharedSecret?

    package init(wrappedValue: [UInt8]?) {
        guard let wrappedValue else { return }
        secret = SharedSecret(copying: wrappedValue)
    }

    package var wrappedValue: [UInt8]? {
        get { secret?.bytes }
        set { self = GuardedValue(wrappedValue: newValue) }
    }

    var isEmpty: Bool { secret == nil }
}

/// Attributes of an object that may be private, by a number that the driver does not interpret.
@propertyWrapper
package struct GuardedAttributes: Sendable, Equatable {
    private var secrets: [UInt32: SharedSecret] = [:]

    package init(wrappedValue: [UInt32: [UInt8]]) { self.wrappedValue = wrappedValue }

    package var wrappedValue: [UInt32: [UInt8]] {
        get { secrets.mapValues(\.bytes) }
        set { secrets = newValue.mapValues(SharedSecret.init(copying:)) }
    }
}
