// SPDX-License-Identifier: Apache-2.0

import APDU

/// The directory files that exist (ISO/IEC 7816-15, 8.1).
package struct PKCS15Directories {
    /// The file that lists the others.
    static let file: FilePath = [0x5000, 0x5031]

    package enum Kind: UInt8 {
        case privateKeys = 0xA0
        case publicKeys = 0xA1
        case certificates = 0xA4
        case data = 0xA7
    }

    package let files: [(kind: Kind, path: FilePath)]

    package init(parsing content: [UInt8]) {
        var cursor = ByteCursor(content)
        var files: [(Kind, FilePath)] = []
        while let tag = cursor.nextTag, tag != 0x00, let object = try? cursor.object() {
            guard let kind = Kind(rawValue: object.tag), let sequence = try? ByteCursor.first(0x30, in: object.value),
                let bytes = try? ByteCursor.first(0x04, in: sequence), let path = FilePath(absolute: bytes)
            else { continue }
            files.append((kind, path))
        }
        self.files = files
    }
}
