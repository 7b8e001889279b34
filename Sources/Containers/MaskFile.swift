// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

/// The contents of masks.key: a mask in clear, the salt of the storage key, and a code over both (Containers, 2 and 7).
struct MaskFile: ~Escapable {
    let mask: Span<UInt8>
    let salt: Span<UInt8>
    private let code: Span<UInt8>

    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>, _ file: ContainerFile) throws(ContainerError) {
        let element = try file.element(bytes)
        do throws(GOSTError) {
            var outer = DERReader(element)
            var reader = try outer.nested(.sequence)
            mask = try reader.contents(.octetString)
            salt = try reader.contents(.octetString)
            code = try reader.contents(.octetString)
            try reader.end()
        } catch {
            throw .damaged(file, .encoding)
        }
        guard mask.count >= 32, salt.count == 12, code.count == 4 else { throw .damaged(file, .partLength) }
    }

    /// Whether mask and salt belong together: the code is the salt's MAC, under the last 32 bytes of the mask.
    func hasCode(_ algorithm: PublicKeyAlgorithm) throws(ContainerError) -> Bool {
        do {
            let expected = try GOST28147IMIT.authenticate(
                salt, key: mask.extracting(last: 32), sBox: algorithm.containerSBox, meshing: false)
            return published(constantTimeEqual(expected.bytes, code))
        } catch {
            throw .failure(error)
        }
    }
}
