// SPDX-License-Identifier: Apache-2.0
package import CCryptoki
import HostCrypto
import Secrets
import Tokens

/// Digests (PKCS #11 v2.40, 5.10).
extension Session {
    package func digestInit(_ mechanism: Mechanism) throws(CKError) {
        guard digest == nil else { throw .operationActive }
        let definition = try slot.mechanism(mechanism.type)
        guard case .digest(let algorithm) = definition.work else {
            throw .mechanismInvalid("the mechanism digests nothing")
        }
        try definition.checkParameter(mechanism.parameter)
        digest = try MessageDigest(sizes: algorithm.size...algorithm.size, hash: algorithm)
    }

    /// The number of bytes that the active operation will deliver.
    package func digestSize() throws(CKError) -> Int {
        guard let digest else { throw .operationNotInitialised }
        return digest.sizes.upperBound
    }

    /// Digests data that came in one part, or ends data that came in parts with a last one.
    package func digest(_ data: Span<UInt8>, afterParts: Bool = false) throws(CKError) -> [UInt8] {
        guard let operation = digest else { throw .operationNotInitialised }
        guard afterParts || !operation.isMultiPart else { throw .operationActive }
        digest = nil
        try operation.update(data)
        return try operation.finalize()
    }

    package func digestUpdate(_ data: Span<UInt8>) throws(CKError) {
        guard let digest else { throw .operationNotInitialised }
        digest.isMultiPart = true
        try digest.update(data)
    }

    /// Digests the value of a secret key. A key that cannot be digested ends no operation (PKCS #11 v2.40, 5.10).
    package func digestKey(_ handle: CK_OBJECT_HANDLE) throws(CKError) {
        guard let digest else { throw .operationNotInitialised }
        let key = try key(handle)
        guard let value = try? slot.loaded(key).secretValue() else {
            throw .keyIndigestible("the key is not a secret key")
        }
        digest.isMultiPart = true
        try digest.update(value.bytes)
    }

    package func digestFinal() throws(CKError) -> [UInt8] { try digest(Span(), afterParts: true) }
}
