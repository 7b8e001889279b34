// SPDX-License-Identifier: Apache-2.0

import APDU

/// The files of the card, in the order of their creation, and its global PINs, which have no place in the tree.
package struct FileSystem: Sendable {
    /// The capacity of the memory: 87 488 bytes beside the 22 directories of a formatted token.
    static let capacity = 87_488 + 22 * 0x20
    /// The deepest path.
    static let maximumDepth = 8

    package private(set) var files: [File]
    package private(set) var globalPINs: [File]

    package init(files: [File] = [], globalPINs: [File] = []) {
        self.files = files
        self.globalPINs = globalPINs
    }

    var freeMemory: Int { max(0, FileSystem.capacity - files.reduce(0) { $0 + $1.memory }) }

    subscript(path: FilePath) -> File? { files.first { $0.path == path } }

    /// The files of the directory, in the order of their creation.
    func children(of directory: FilePath) -> [File] { files.filter { $0.path.parent == directory } }

    mutating func append(_ file: File) {
        if file.rightsFile?.type == .globalPIN { globalPINs.append(file) } else { files.append(file) }
    }

    mutating func remove(_ path: FilePath) { files.removeAll { $0.path == path } }

    mutating func replaceContent(of path: FilePath, with content: File.Content) {
        for index in files.indices where files[index].path == path { files[index].content = content }
    }

    /// The PIN with this number: 1 the administrator's, 2 the user's, 3...31 local ones.
    func pin(_ number: Int) -> File? {
        guard let number = UInt8(exactly: number) else { return nil }
        if number <= 2 { return globalPINs.first { $0.path == RightsFileType.globalPIN.path(number) } }
        return self[RightsFileType.localPIN.path(number)]
    }

    mutating func replacePIN(_ number: Int, with pin: RightsFile) {
        guard let path = self.pin(number)?.path else { return }
        guard number <= 2 else { return replaceContent(of: path, with: .rights(pin)) }
        for index in globalPINs.indices where globalPINs[index].path == path {
            globalPINs[index].content = .rights(pin)
        }
    }
}

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

    /// The memory that the file takes.
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

/// The path of a file: the identifiers of the directories from the MF on, and its own. The MF's path is empty.
package struct FilePath: Hashable, Sendable, ExpressibleByArrayLiteral {
    package let identifiers: [UInt16]

    package init(_ identifiers: [UInt16]) { self.identifiers = identifiers }
    package init(arrayLiteral identifiers: UInt16...) { self.identifiers = identifiers }

    /// The MF.
    static let root: FilePath = []
    /// The MF's file identifier.
    static let rootIdentifier: UInt16 = 0x3F00
    /// Reserved identifiers (ISO/IEC 7816-4, 5.3.1.1): the MF, the current DF, and a value for later.
    static let reservedIdentifiers: [UInt16] = [rootIdentifier, 0x3FFF, 0xFFFF]
    /// The directory of the directories of keys and local PINs.
    static let system: FilePath = [0x1000, 0x1000]
    /// The token's label.
    static let label: FilePath = [0x1000, 0x1000, 0x1000]

    /// The file identifier.
    var identifier: UInt16 { identifiers.last ?? FilePath.rootIdentifier }

    /// The directory that holds the file; nil for the MF.
    var parent: FilePath? { identifiers.isEmpty ? nil : FilePath(identifiers.dropLast()) }

    func appending(_ identifier: UInt16) -> FilePath { FilePath(identifiers + [identifier]) }
}
