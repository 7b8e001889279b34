// SPDX-License-Identifier: Apache-2.0

import APDU

/// One object as OpenSC's files describe it (ISO/IEC 7816-15, 8.2), as far as the driver uses that.
package struct PKCS15Entry {
    /// Of the object's alternative: `30` for RSA keys and X.509 certificates, `A4` for GOST keys as OpenSC writes them.
    package let tag: UInt8
    package var label: [UInt8] = []
    package var isPrivate = false
    /// Empty for a data object.
    package var id: [UInt8] = []
    /// Whether a key was made on the card; true where it is not stated.
    package var isLocal = true
    /// The application of a data object.
    var application: [UInt8] = []
    var objectIdentifier: [UInt8] = []
    /// The path of the object's value or key file.
    package let path: FilePath
    /// The numbers after the path: the length of a modulus, or a parameter set.
    package let numbers: [Int]

    /// The entries in the content of a directory file; the rest after the last one is zero, or not understood.
    package static func entries(in content: [UInt8]) -> [PKCS15Entry] {
        var cursor = ByteCursor(content)
        var entries: [PKCS15Entry] = []
        while let tag = cursor.nextTag, tag != 0x00, let object = try? cursor.object() {
            if let entry = try? PKCS15Entry(object.tag, object.value) { entries.append(entry) }
        }
        return entries
    }

    private init(_ tag: UInt8, _ value: [UInt8]) throws(MalformedBytes) {
        self.tag = tag
        var cursor = ByteCursor(value)
        let common = try cursor.object(0x30)
        let specific = try cursor.object(0x30)
        if cursor.nextTag == 0xA0 { _ = try cursor.object() }
        var type = ByteCursor(try ByteCursor.first(0x30, in: cursor.object(0xA1)))
        (path, numbers) = try Self.location(&type)
        readCommon(common)
        readSpecific(specific)
    }

    /// A path, bare or in a sequence, then numbers.
    private static func location(_ cursor: inout ByteCursor) throws(MalformedBytes) -> (FilePath, [Int]) {
        let (tag, value) = try cursor.object()
        let bytes = tag == 0x30 ? try ByteCursor.first(0x04, in: value) : value
        guard tag == 0x30 || tag == 0x04, let path = FilePath(absolute: bytes) else { throw MalformedBytes() }
        var numbers: [Int] = []
        while cursor.nextTag == 0x02, let number = try? cursor.object(0x02) {
            numbers.append(number.count <= 2 ? number.reduce(0) { $0 << 8 | Int($1) } : 0)
        }
        return (path, numbers)
    }

    /// Label and flags, of which the first shows whether the object is private.
    private mutating func readCommon(_ bytes: [UInt8]) {
        var cursor = ByteCursor(bytes)
        while let (tag, value) = try? cursor.object() {
            switch tag {
            case 0x0C: label = value
            case 0x03: isPrivate = value.count > 1 && value[1] & 0x80 != 0
            default: break
            }
        }
    }

    /// The identifier, and a key's flags: of usage, then of access; or a data object's application.
    private mutating func readSpecific(_ bytes: [UInt8]) {
        var cursor = ByteCursor(bytes)
        var flags = 0
        while let (tag, value) = try? cursor.object() {
            switch tag {
            case 0x04 where id.isEmpty: id = value
            case 0x03:
                flags += 1
                if flags == 2 { isLocal = value.count > 1 && value[1] & 0x08 != 0 }
            case 0x0C: application = value
            case 0x06: objectIdentifier = .object(0x06, value)
            default: break
            }
        }
    }
}

extension PKCS15Entry {
    func object(_ content: TokenObject.Content, isPrivate: Bool = false) -> TokenObject {
        var object = TokenObject(content, label: label, id: id, isPrivate: isPrivate)
        object.file = path.identifiers.last ?? 0
        object.isForeign = true
        return object
    }

    /// One half of a key pair; nil if it is of no known kind, or if a private key is not in the vendor's place.
    ///
    /// - Parameter publicKey: The content of the public key's file.
    func key(_ half: TokenKey.Half, _ publicKey: [UInt8]?) -> TokenObject? {
        guard half == .publicKey || path.identifiers.dropLast().elementsEqual(FilePath.privateKeys.identifiers) else {
            return nil
        }
        guard let kind = CardKey(self, half, publicKey: publicKey) else { return nil }
        var key = TokenKey(half, kind, isLocal ? [] : .imported)
        // The last part of the path: a private key's is its number.
        if half == .privateKey { key.number = UInt8(truncatingIfNeeded: path.identifiers.last ?? 0) }
        return object(.key(key))
    }
}
