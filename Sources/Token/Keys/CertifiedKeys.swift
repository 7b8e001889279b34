// SPDX-License-Identifier: Apache-2.0
import HostCrypto

extension [TokenObject] {
    /// Takes the public keys that the token does not give back from the certificates that go with them: nobody published
    /// how the vendor's library reads them, and its records do not have them.
    mutating func completePublicKeys() {
        for index in indices {
            guard case .key(var key) = self[index].content, key.kind.lacksValue(key.half),
                let info = certifiedKey(self[index].id)
            else { continue }
            key.kind.take(info)
            self[index].content = .key(key)
        }
    }

    /// The public key in the first certificate with this identifier.
    private func certifiedKey(_ id: [UInt8]) -> PublicKeyInfo? {
        for object in self {
            guard !id.isEmpty, object.id == id, case .certificate(_, let value) = object.content else { continue }
            guard let info = try? Certificate(der: value.span).subjectPublicKeyInfo else { return nil }
            return try? PublicKeyInfo(der: info.span)
        }
        return nil
    }
}
