// SPDX-License-Identifier: Apache-2.0

import APDU

/// The path of a file: identifiers from below the MF down.
package struct FilePath: Hashable, Sendable, ExpressibleByArrayLiteral {
    package var identifiers: [UInt16]

    package init(_ identifiers: [UInt16]) { self.identifiers = identifiers }
    package init(arrayLiteral elements: UInt16...) { self.init(elements) }

    /// The path of a file in this directory.
    func file(_ identifier: UInt16) -> FilePath {
        var path = self
        path.identifiers.append(identifier)
        return path
    }

    var bytes: [UInt8] { identifiers.flatMap(\.bytes) }

    static let system: FilePath = [0x1000, 0x1000]
    static let label: FilePath = [0x1000, 0x1000, 0x1000]
    static let publicKeys: FilePath = [0x1000, 0x1000, 0x6001]
    static let privateKeys: FilePath = [0x1000, 0x1000, 0x6002]
    static let secretKeys: FilePath = [0x1000, 0x1000, 0x6003]
    static let localPINs: FilePath = [0x1000, 0x1000, 0x6005]
    static let objects: FilePath = [0x1000, 0x1001]
}
