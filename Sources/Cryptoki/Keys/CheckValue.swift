// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import GOST
import HostCrypto
import Secrets

extension Attributes {
    /// Enters the check value of a secret key, or compares it with the template's. An empty one stays.
    ///
    /// - Throws: `CKR_ATTRIBUTE_VALUE_INVALID` for another key's check value.
    mutating func completeCheckValue(_ value: borrowing Secret, _ type: SecretKeyType) throws(CKError) {
        let given = self[CKA_CHECK_VALUE]
        guard given != [] else { return }
        let checkValue = try type.checkValue(of: value, sBox)
        guard given == nil || given == checkValue else {
            throw .attributeValueInvalid("\(place(of: CKA_CHECK_VALUE)) is not the key's")
        }
        set(CKA_CHECK_VALUE, checkValue)
    }

    /// The substitution of a key of GOST 28147-89.
    var sBox: SBox {
        let parameters = self[CKA_GOST28147_PARAMS]
        return SBox.all.first { $0.oid == parameters } ?? .tc26Z
    }
}

extension SecretKeyType {
    /// The first three bytes of an encrypted block of zeros, or of the SHA-1 digest of a key that does not belong to a
    /// block cipher (PKCS #11 v2.40, 4.10.2).
    fileprivate func checkValue(of value: borrowing Secret, _ sBox: SBox) throws(CKError) -> [UInt8] {
        guard let cipher = try codebook(value.bytes, sBox) else {
            do throws(HostCryptoError) { return Array(try Digest.digest(value.bytes, .sha1).prefix(3)) } catch {
                throw CKError(error)
            }
        }
        let zeros = [UInt8](repeating: 0, count: AESCipher.blockSize)
        let block = try cipher.process(zeros.span)
        return Array([UInt8](copying: block).prefix(3))
    }

    /// ECB with the key; nil if it does not belong to a block cipher.
    private func codebook(_ key: Span<UInt8>, _ sBox: SBox) throws(CKError) -> (any RunningCipher)? {
        if self == .aes { return try RunningAES(key: key, iv: nil, .encryption) }
        do { return try Session.cipher(self, .codebook, [], key, sBox, .encryption) } catch { throw CKError(error) }
    }
}
