import GOST
import Secrets

/// A digest operation (PKCS #11 v2.40, 5.10).
final class DigestOperation {
    let algorithm: HashAlgorithm
    private var hash: RunningHash?
    /// Whether data came in parts, so that only `C_DigestFinal` may end the operation.
    var isMultiPart = false

    init(_ algorithm: HashAlgorithm) {
        self.algorithm = algorithm
        hash = RunningHash(algorithm)
    }

    func update(_ data: Span<UInt8>) { hash?.update(data) }

    func finalize() -> [UInt8] {
        guard let hash = hash.take() else { return [] }
        let digest = hash.finalize()
        return [UInt8](copying: digest)
    }
}

extension Session {
    public func digestInit(_ mechanism: Mechanism) throws(CKError) {
        guard digest == nil else { throw .operationActive }
        let definition = try MechanismDefinition.find(mechanism.type)
        guard case .digest(let algorithm) = definition.work else { throw .mechanismInvalid }
        try definition.checkParameter(mechanism.parameter)
        digest = DigestOperation(algorithm)
    }

    /// The number of bytes that the active operation will deliver.
    public func digestSize() throws(CKError) -> Int {
        guard let digest else { throw .operationNotInitialised }
        return digest.algorithm.digestSize
    }

    /// Digests data that came in one part.
    public func digest(_ data: Span<UInt8>) throws(CKError) -> [UInt8] {
        guard let operation = digest else { throw .operationNotInitialised }
        guard !operation.isMultiPart else { throw .operationActive }
        digest = nil
        operation.update(data)
        return operation.finalize()
    }

    public func digestUpdate(_ data: Span<UInt8>) throws(CKError) {
        guard let digest else { throw .operationNotInitialised }
        digest.isMultiPart = true
        digest.update(data)
    }

    public func digestFinal() throws(CKError) -> [UInt8] {
        guard let operation = digest else { throw .operationNotInitialised }
        digest = nil
        return operation.finalize()
    }
}
