// SPDX-License-Identifier: Apache-2.0

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
