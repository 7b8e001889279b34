import HostCrypto
import Secrets

/// What becomes of the data of a signature or verification: a message that is hashed, or a digest that is taken as it
/// is.
final class MessageDigest {
    private let size: Int
    private var hash: Digest?
    private var given: [UInt8] = []

    /// - Parameter size: The number of bytes that a digest must have.
    init(size: Int, hash: DigestAlgorithm?) throws(CKError) {
        self.size = size
        guard let hash else { return }
        do throws(HostCryptoError) {
            let digest = try Digest(hash)
            self.hash = consume digest
        } catch {
            throw CKError(error)
        }
    }

    func update(_ data: Span<UInt8>) throws(CKError) {
        if hash != nil {
            hash?.update(data)
            return
        }
        guard data.count <= size - given.count else { throw .dataLengthRange }
        for index in data.indices { given.append(data[index]) }
    }

    /// The digest of all data.
    ///
    /// - Throws: `CKR_DATA_LEN_RANGE` if a digest was given that does not have the key's size.
    func finalize() throws(CKError) -> [UInt8] {
        if let hash = hash.take() {
            do throws(HostCryptoError) {
                let digest = try hash.finalize()
                return [UInt8](copying: digest)
            } catch {
                throw CKError(error)
            }
        }
        guard given.count == size else { throw .dataLengthRange }
        return given
    }
}
