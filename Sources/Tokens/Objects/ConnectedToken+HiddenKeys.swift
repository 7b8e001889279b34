// SPDX-License-Identifier: Apache-2.0

import APDU
import CCryptoki
import HostCrypto
package import Token

extension ConnectedToken {
    /// The objects of a search without keys and certificates of these families. Certificates are then read: nothing else
    /// says of which families their keys are.
    package func objects(
        reading values: ObjectValues, hiding hidden: KeyFamilies
    ) throws(TokenError) -> [TokenObject] {
        guard !hidden.isEmpty else { return try objects(reading: values) }
        return try objects(reading: values == .none ? .certificates : values).filter { object in
            hidden.isDisjoint(with: object.keyFamily)
        }
    }
}

extension TokenObject {
    /// The family of the key, or of a certificate's; empty for all others, and for a certificate that cannot be read.
    fileprivate var keyFamily: KeyFamilies {
        switch content {
        case .key(let key):
            switch key.kind {
            case .gost: .gost
            case .rsa: []
            case .ec(let key): KeyFamilies(curve: key.parameters)
            }
        case .certificate(_, let value):
            value.flatMap(CertificateNames.init(certificate:)).map { KeyFamilies(publicKeyInfo: $0.publicKeyInfo) }
                ?? []
        case .publicKey:
            switch self[CKA_KEY_TYPE] {
            case CKK_GOSTR3410.bytes, CKK_GOSTR3410_512.bytes: .gost
            case CKK_EC.bytes: KeyFamilies(curve: self[CKA_EC_PARAMS] ?? [])
            default: []
            }
        case .data, .secretKey: []
        }
    }
}

extension KeyFamilies {
    /// The family of an EC key on the curve with this object identifier, in DER.
    fileprivate init(curve: [UInt8]) {
        self = [ECCurve.p256, .p384, .p521].contains { $0.oid == curve } ? [] : .otherCurves
    }

    /// The family by the algorithm and the curve of a SubjectPublicKeyInfo in DER; empty if it is malformed.
    fileprivate init(publicKeyInfo: [UInt8]) {
        self = []
        do throws(MalformedBytes) {
            var info = ByteCursor(publicKeyInfo)
            info = ByteCursor(try info.object(0x30))
            var algorithm = ByteCursor(try info.object(0x30))
            switch try algorithm.object(0x06) {
            // 1.2.643, Russia's, has GOST R 34.10 of all editions.
            case let identifier where identifier.starts(with: [0x2A, 0x85, 0x03]): self = .gost
            // id-ecPublicKey (RFC 5480, 2.1.1).
            case [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]: self = KeyFamilies(curve: algorithm.rest())
            default: break
            }
        } catch {}
    }
}
