package import CCryptoki
import HostCrypto
import Secrets

/// A digest operation (PKCS #11 v2.40, 5.10).
final class DigestOperation {
    let algorithm: DigestAlgorithm
    private var hash: Digest?
    /// Whether data came in parts, so that only `C_DigestFinal` may end the operation.
    var isMultiPart = false

    init(_ algorithm: DigestAlgorithm) throws(HostCryptoError) {
        self.algorithm = algorithm
        let digest = try Digest(algorithm)
        hash = consume digest
    }

    private init(_ hash: consuming Digest, isMultiPart: Bool) {
        algorithm = hash.algorithm
        self.hash = consume hash
        self.isMultiPart = isMultiPart
    }

    /// A second digest that goes on from here.
    func copy() throws(CKError) -> DigestOperation {
        switch hash {
        case .some(let hash):
            do throws(HostCryptoError) {
                let digest = try hash.copy()
                return DigestOperation(digest, isMultiPart: isMultiPart)
            } catch {
                throw CKError(error)
            }
        case .none: throw .operationNotInitialised
        }
    }

    func update(_ data: Span<UInt8>) { hash?.update(data) }

    func finalize() throws(CKError) -> [UInt8] {
        guard let hash = hash.take() else { throw .operationNotInitialised }
        do throws(HostCryptoError) {
            let digest = try hash.finalize()
            return [UInt8](copying: digest)
        } catch {
            throw CKError(error)
        }
    }
}

extension Session {
    package func digestInit(_ mechanism: Mechanism) throws(CKError) {
        guard digest == nil else { throw .operationActive }
        let definition = try MechanismDefinition.find(mechanism.type)
        guard case .digest(let algorithm) = definition.work else {
            throw .mechanismInvalid("the mechanism digests nothing")
        }
        try definition.checkParameter(mechanism.parameter)
        do throws(HostCryptoError) { digest = try DigestOperation(algorithm) } catch { throw CKError(error) }
    }

    /// The number of bytes that the active operation will deliver.
    package func digestSize() throws(CKError) -> Int {
        guard let digest else { throw .operationNotInitialised }
        return digest.algorithm.size
    }

    /// Digests data that came in one part, or ends data that came in parts with a last one.
    package func digest(_ data: Span<UInt8>, afterParts: Bool = false) throws(CKError) -> [UInt8] {
        guard let operation = digest else { throw .operationNotInitialised }
        guard afterParts || !operation.isMultiPart else { throw .operationActive }
        digest = nil
        operation.update(data)
        return try operation.finalize()
    }

    package func digestUpdate(_ data: Span<UInt8>) throws(CKError) {
        guard let digest else { throw .operationNotInitialised }
        digest.isMultiPart = true
        digest.update(data)
    }

    /// Digests the value of a secret key. One that cannot be digested ends no operation (PKCS #11 v2.40, 5.10).
    package func digestKey(_ handle: CK_OBJECT_HANDLE) throws(CKError) {
        guard let digest else { throw .operationNotInitialised }
        let key = try key(handle)
        guard let value = try? slot.loaded(key).secretValue() else {
            throw .keyIndigestible("the key is no secret key")
        }
        digest.isMultiPart = true
        digest.update(value.bytes)
    }

    package func digestFinal() throws(CKError) -> [UInt8] { try digest(Span(), afterParts: true) }
}
