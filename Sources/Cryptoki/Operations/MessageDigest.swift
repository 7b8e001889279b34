// SPDX-License-Identifier: Apache-2.0

import CCryptoki
import GOST
import HostCrypto
import Secrets
import Token
import Tokens

/// The input of a digest, a signature or a verification: a message that is hashed, or a digest that is taken as it is.
final class MessageDigest {
    let sizes: ClosedRange<Int>
    /// Whether data came in parts, so that only `C_DigestFinal` may end the operation.
    var isMultiPart = false
    private var hash: Digest?
    private var given: [UInt8] = []

    /// - Parameter sizes: The numbers of bytes that a digest can have.
    init(sizes: ClosedRange<Int>, hash: DigestAlgorithm?) throws(CKError) {
        self.sizes = sizes
        guard let hash else { return }
        do throws(HostCryptoError) {
            let digest = try Digest(hash)
            self.hash = consume digest
        } catch {
            throw CKError(error)
        }
    }

    /// A second digest that goes on from here.
    func copy() throws(CKError) -> MessageDigest {
        let copy = try MessageDigest(sizes: sizes, hash: nil)
        (copy.isMultiPart, copy.given) = (isMultiPart, given)
        switch hash {
        case .some(let hash): do { copy.hash = try hash.copy() } catch { throw CKError(error) }
        case .none: break
        }
        return copy
    }

    func update(_ data: Span<UInt8>) throws(CKError) {
        if hash != nil {
            hash?.update(data)
            return
        }
        guard data.count <= sizes.upperBound - given.count else { throw .dataLengthRange }
        for index in data.indices { given.append(data[index]) }
    }

    /// The digest of all data.
    ///
    /// - Throws: `CKR_DATA_LEN_RANGE` if a digest was given that does not have the right size.
    func finalize() throws(CKError) -> [UInt8] {
        if let hash = hash.take() {
            do throws(HostCryptoError) {
                let digest = try hash.finalize()
                return [UInt8](copying: digest)
            } catch {
                throw CKError(error)
            }
        }
        guard sizes.contains(given.count) else { throw .dataLengthRange }
        return given
    }
}

extension MessageDigest {
    /// The data that a key of RSA with so many bits signs.
    ///
    /// - Throws: `CKR_KEY_SIZE_RANGE` if the key is too short for the scheme.
    convenience init(_ scheme: RSASignatureScheme, hash: DigestAlgorithm?, bitCount: Int) throws(CKError) {
        do throws(HostCryptoError) { try scheme.check(bitCount: bitCount) } catch { throw CKError(error) }
        try self.init(sizes: scheme.inputSizes(bitCount: bitCount), hash: hash)
    }
}
