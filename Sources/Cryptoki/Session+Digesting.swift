/// A digest operation (PKCS #11 v2.40, 5.10).
final class DigestOperation {
    let algorithm: HashAlgorithm
    let hash: any RunningHash
    /// Whether data came in parts, so that only `C_DigestFinal` may end the operation.
    var isMultiPart = false

    init(_ algorithm: HashAlgorithm) {
        self.algorithm = algorithm
        hash = algorithm.start()
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
        operation.hash.update(data)
        return operation.hash.finalize()
    }

    public func digestUpdate(_ data: Span<UInt8>) throws(CKError) {
        guard let digest else { throw .operationNotInitialised }
        digest.isMultiPart = true
        digest.hash.update(data)
    }

    public func digestFinal() throws(CKError) -> [UInt8] {
        guard let operation = digest else { throw .operationNotInitialised }
        digest = nil
        return operation.hash.finalize()
    }
}
