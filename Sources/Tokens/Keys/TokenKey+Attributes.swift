// SPDX-License-Identifier: Apache-2.0
import APDU
package import CCryptoki
import GOST
import HostCrypto
package import Token

extension TokenKey {
    package var type: KeyType {
        switch kind {
        case .gost(let key): KeyType(key.curve)
        case .rsa: .rsa
        case .ec: .ec
        }
    }

    /// The attributes that follow from the key itself.
    package var attributes: [CK_ATTRIBUTE_TYPE: [UInt8]] {
        var attributes = [CKA_KEY_TYPE: type.rawValue.bytes]
        let derives: [UInt8] = [properties.contains(.derives) ? 1 : 0]
        switch kind {
        case .gost(let key):
            attributes[CKA_GOSTR3410_PARAMS] = key.curve.oid
            attributes[CKA_GOSTR3411_PARAMS] = key.gostR3411Parameters
            attributes[CKA_GOST28147_PARAMS] = key.gost28147Parameters
            attributes[CKA_DERIVE] = derives
            attributes[CKA_VENDOR_KEY_JOURNAL] = [properties.contains(.signsJournal) ? 1 : 0]
            attributes[CKA_VALUE] = key.value
        case .rsa(let key):
            attributes[CKA_MODULUS] = key.modulus
            attributes[CKA_PUBLIC_EXPONENT] = key.publicExponent
            if half == .publicKey { attributes[CKA_MODULUS_BITS] = CK_ULONG(key.size.bits).bytes }
        case .ec(let key):
            attributes[CKA_EC_PARAMS] = key.parameters
            if half == .privateKey { attributes[CKA_DERIVE] = derives }
            // An uncompressed point in an OCTET STRING.
            attributes[CKA_EC_POINT] = key.point.map { .object(0x04, [0x04] + $0) }
        }
        return attributes
    }
}
