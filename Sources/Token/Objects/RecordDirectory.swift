// SPDX-License-Identifier: Apache-2.0
import APDU
import Secrets

/// A directory of records with the index that lists them.
package struct RecordDirectory: Equatable {
    let path: FilePath
    let indexFile: UInt16
    /// The first two bytes of the index.
    package let magic: [UInt8]

    static let keys = RecordDirectory(path: .objects, indexFile: 0x8000, magic: Array("RP".utf8))
    static let certificates = RecordDirectory(
        path: [0x1000, 0x1001, 0x8001], indexFile: 0x8000, magic: Array("RP".utf8))
    /// The vendor's headers for these are not known, so they have an index of this project's own.
    package static let data = RecordDirectory(path: .objects, indexFile: 0x7E00, magic: Array("OS".utf8))

    var index: FilePath { path.file(indexFile) }
    func file(_ identifier: UInt16) -> FilePath { path.file(identifier) }
}
