// SPDX-License-Identifier: Apache-2.0

import APDU

/// The kinds of files that CREATE FILE makes. The vendor's library orders the template differently for each.
enum FileKind {
    case directory, elementary, key
    /// A PIN, or the emitent key.
    case pin

    /// The first byte of tag 82.
    var type: UInt8 {
        switch self {
        case .directory: 0x38
        case .elementary: 0x01
        case .key, .pin: 0x10
        }
    }

    /// The data objects of a new file's template.
    var tags: [UInt8] {
        switch self {
        case .directory: [0x80, 0x82, 0x83, 0x86]
        case .elementary, .pin: [0x82, 0x80, 0x83, 0x85, 0x86]
        case .key: [0x80, 0x82, 0x83, 0x86, 0x85]
        }
    }
}
