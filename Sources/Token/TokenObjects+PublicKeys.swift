import GOST
import HostCrypto

extension TokenObjects {
    /// Takes the public keys that the token does not give back from the certificates that go with them: nobody published
    /// how the vendor's library reads them, and its records do not have them.
    mutating func completePublicKeys() {
        for index in keys.indices where keys[index].half == .publicKey && keys[index].value == nil {
            guard case .gost(let info) = certifiedKey(keys[index].id),
                info.key.bytes.count == 2 * keys[index].curve.coordinateSize
            else { continue }
            keys[index].value = info.key.bytes
        }
        for index in rsaKeys.indices where rsaKeys[index].modulus == nil {
            guard case .rsa(let key) = certifiedKey(rsaKeys[index].id), key.bitCount == rsaKeys[index].bits else {
                continue
            }
            (rsaKeys[index].modulus, rsaKeys[index].publicExponent) = (key.modulus, key.publicExponent)
        }
        for index in ecKeys.indices where ecKeys[index].half == .publicKey && ecKeys[index].point == nil {
            guard case .ec(let key) = certifiedKey(ecKeys[index].id), key.curve.oid == ecKeys[index].parameters else {
                continue
            }
            ecKeys[index].point = Array(key.point.dropFirst())
        }
    }

    /// The public key in a certificate with this identifier.
    private func certifiedKey(_ id: [UInt8]) -> PublicKeyInfo? {
        guard !id.isEmpty, let certificate = certificates.first(where: { $0.id == id }),
            let info = try? Certificate(der: certificate.value.span).subjectPublicKeyInfo
        else { return nil }
        return try? PublicKeyInfo(der: info.span)
    }
}
