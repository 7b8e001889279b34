// SPDX-License-Identifier: Apache-2.0
import GOST
package import Secrets

/// Files with one private key (PKCS #8; RFC 5958), read as a PFX with nothing else in it.
extension PFX {
    /// The kind of a file with keys.
    package enum Form: Sendable {
        /// A PFX, or nothing that is known.
        case pfx
        /// An EncryptedPrivateKeyInfo (RFC 5958, 3).
        case encryptedKey
        /// A PrivateKeyInfo (RFC 5958, 2).
        case key

        /// The kind of a file, in DER, by its first fields.
        package init(of file: Span<UInt8>) {
            do throws(PFXError) { self = try Self.recognised(file) } catch { self = .pfx }
        }

        private static func recognised(_ file: Span<UInt8>) throws(PFXError) -> Form {
            var outer = PFXReader(file)
            var fields = PFXReader(try outer.contents(.sequence))
            try outer.end()
            let hasVersion = fields.isAt(.integer)
            if hasVersion { _ = try fields.number() }
            _ = try fields.contents(.sequence)
            guard fields.isAt(.octetString) else { return .pfx }
            return hasVersion ? .key : .encryptedKey
        }
    }

    /// Opens a file with one private key.
    ///
    /// - Parameters:
    ///   - file: The whole of it, in DER.
    ///   - password: In UTF-8; not used for a key that is not encrypted.
    ///   - workLimit: Instead of ``workLimit``.
    ///   - proceeds: As for a PFX.
    /// - Throws: ``PFXError/wrongPassword`` if the decrypted bytes are not a private key.
    package init(
        privateKey file: Span<UInt8>, password: borrowing Secret, workLimit: Int = Self.workLimit,
        proceeds: @escaping (_ done: Int, _ total: Int) -> Bool = { _, _ in true }
    ) throws(PFXError) {
        guard file.count <= Self.sizeLimit else { throw .tooLarge }
        certificates = []
        guard Form(of: file) == .encryptedKey else {
            keys = [try Key(file, BagName())]
            return
        }
        var password = PFXPassword(password, workLimit: workLimit, proceeds: proceeds)
        var outer = PFXReader(file)
        var fields = PFXReader(try outer.contents(.sequence))
        let algorithm = try fields.contents(.sequence)
        let ciphertext = try fields.contents(.octetString)
        try fields.end()
        var identifier = PFXReader(algorithm)
        guard try identifier.objectIdentifier() != PFXIdentifier.cryptoProKey else {
            // The form is not certain without a certificate.
            throw .keyMismatch
        }
        let opened: Secret
        do throws(PFXError) { opened = try password.open(ciphertext, algorithm) } catch {
            throw error == .damaged ? .wrongPassword : error
        }
        guard Form(of: opened.bytes) == .key else { throw .wrongPassword }
        keys = [try Key(opened.bytes, BagName())]
    }

    /// Puts a certificate from elsewhere before the file's own.
    ///
    /// - Throws: ``PFXError/keyMismatch`` if it belongs to no key of the file.
    package mutating func add(certificate der: [UInt8]) throws(PFXError) {
        let certificate = Certificate(der: der, name: BagName())
        guard let publicKey = certificate.publicKey, keys.contains(where: { $0.publicKey.isSamePoint(as: publicKey) })
        else { throw .keyMismatch }
        certificates.insert(certificate, at: 0)
    }
}
