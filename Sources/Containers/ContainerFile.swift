// SPDX-License-Identifier: Apache-2.0
import GOST

/// A file of a container. The number is the last digit of its identifier on a token.
package enum ContainerFile: UInt8, CaseIterable, Sendable {
    case masks = 1
    case primary = 2
    case header = 3
    case masks2 = 4
    case primary2 = 5
    case name = 6

    /// The name of the file in a folder.
    package var fileName: String {
        switch self {
        case .masks: "masks.key"
        case .primary: "primary.key"
        case .header: "header.key"
        case .masks2: "masks2.key"
        case .primary2: "primary2.key"
        case .name: "name.key"
        }
    }

    /// The most bytes that a file may have.
    package static let largestSize = 65536

    /// The bytes of a file without its filling, from its first ones. Its outermost element has their number.
    ///
    /// - Parameter beginning: At least the first 6 bytes, or the whole file.
    /// - Throws: ``ContainerError/missing(_:)`` if there is no file; ``ContainerError/damaged(_:_:)``.
    package func length(from beginning: Span<UInt8>) throws(ContainerError) -> Int {
        guard !beginning.isEmpty else { throw .missing(self) }
        guard beginning[0] == DERTag.sequence.rawValue, let header = try? ElementHeader(beginning, .der),
            let length = header.length
        else { throw .damaged(self, .encoding) }
        guard length <= Self.largestSize - header.count else { throw .damaged(self, .length) }
        return header.count + length
    }

    /// The outermost element of a file, behind which only filling may follow: bytes of FF, or zeros.
    @_lifetime(copy bytes)
    func element(_ bytes: Span<UInt8>) throws(ContainerError) -> Span<UInt8> {
        guard bytes.count <= Self.largestSize else { throw .damaged(self, .length) }
        let count = try length(from: bytes)
        guard count <= bytes.count else { throw .damaged(self, .length) }
        let filling = bytes.extracting(droppingFirst: count)
        guard filling.isFilled(with: 0xFF) || filling.isFilled(with: 0) else { throw .damaged(self, .filling) }
        return bytes.extracting(first: count)
    }
}

extension Span<UInt8> {
    fileprivate func isFilled(with byte: UInt8) -> Bool {
        for index in indices where self[index] != byte { return false }
        return true
    }
}
