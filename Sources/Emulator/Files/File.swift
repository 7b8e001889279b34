// SPDX-License-Identifier: Apache-2.0

import APDU

/// A file of the card: a directory (DF), an elementary file (EF) or a rights file (RSF).
package struct File: Sendable {
    package enum Content: Sendable {
        case directory
        case elementary([UInt8])
        case rights(RightsFile)
    }

    package let path: FilePath
    /// The size it was created with (tag 80).
    package let size: Int
    package let conditions: AccessConditions
    package var content: Content

    package init(path: FilePath, size: Int = 0, conditions: AccessConditions, content: Content = .directory) {
        self.path = path
        self.size = size
        self.conditions = conditions
        self.content = content
    }

    var isDirectory: Bool { if case .directory = content { true } else { false } }

    /// The PIN or key, if this is a rights file.
    var rightsFile: RightsFile? { if case .rights(let file) = content { file } else { nil } }

    /// The memory that the file occupies.
    var memory: Int {
        switch content {
        case .directory: 0x20
        case .elementary: size + 0x20
        case .rights: size + 0x40
        }
    }

    /// The answer to SELECT: `6F` or `62` with size, memory, properties, kind, identifier, life cycle and conditions.
    func template(tag: UInt8) -> [UInt8] {
        var body: [UInt8] = [0x80, 2]
        body.appendUInt16(size)
        body += [0x81, 2]
        body.appendUInt16(memory)
        return .object(tag, body + attributes)
    }

    /// The answer to GET DATA for a global PIN, which has no size.
    var pinTemplate: [UInt8] { .object(0x62, attributes) }

    private var attributes: [UInt8] {
        var body: [UInt8] = []
        if let rightsFile { body.appendObject(0x85, rightsFile.properties) }
        body.appendObject(0x82, descriptor)
        body += [0x83, 2]
        body.appendUInt16(Int(path.identifier))
        body += [0x8A, 1, 0x05]
        body.appendObject(0x86, conditions.bytes)
        return body
    }

    private var descriptor: [UInt8] {
        switch content {
        case .directory: [0x38, 0x00]
        case .elementary: [0x01, 0x00]
        case .rights: [0x10, 0x00]
        }
    }
}
