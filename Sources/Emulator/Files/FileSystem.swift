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
