// SPDX-License-Identifier: Apache-2.0
import HostCrypto

extension [TokenObject] {
    /// The certificates that go with public keys of which the token does not give the value.
    var certificatesOfUnknownKeys: [Int] {
        var ids = Set<[UInt8]>()
        for object in self {
            if let key = object.key, key.kind.lacksValue(key.half), !object.id.isEmpty { ids.insert(object.id) }
        }
        guard !ids.isEmpty else { return [] }
        // The first one counts.
        return indices.filter { index in
            guard case .certificate = self[index].content else { return false }
            return ids.remove(self[index].id) != nil
        }
    }

    /// Takes the public keys that the token does not give back from the certificates that go with them: how the
    /// vendor's library reads them is not published, and its records do not have them.
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
            guard !id.isEmpty, object.id == id, case .certificate(_, let value?) = object.content else { continue }
            guard let info = try? Certificate(der: value.span).subjectPublicKeyInfo else { return nil }
            return try? PublicKeyInfo(der: info.span)
        }
        return nil
    }
}
