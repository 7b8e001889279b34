// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

/// The contents of primary.key: the keys, masked and enciphered.
struct PrimaryFile: ~Escapable {
    private let first: Span<UInt8>
    private let second: Span<UInt8>

    /// - Parameter keys: The number of keys that the header has.
    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>, _ file: ContainerFile, keys: Int) throws(ContainerError) {
        let element = try file.element(bytes)
        let isLonger: Bool
        do throws(GOSTError) {
            var outer = DERReader(element)
            var reader = try outer.nested(.sequence)
            first = try reader.contents(.octetString)
            second =
                reader.isAt(.contextPrimitive0) ? try reader.contents(.contextPrimitive0) : first.extracting(first: 0)
            isLonger = !reader.isAtEnd
            while !reader.isAtEnd { try reader.skip() }
        } catch {
            throw .damaged(file, .encoding)
        }
        guard !isLonger else { throw .unsupported(.keyFile(file)) }
        guard second.isEmpty == (keys == 1) else { throw .damaged(file, .keyCount) }
    }

    @_lifetime(copy self)
    func key(_ index: ContainedKey.Index) -> Span<UInt8> { index == .first ? first : second }
}
