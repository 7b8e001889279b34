// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

extension PFX.Key {
    /// Reads an EncryptedPrivateKeyInfo (RFC 5958, 3).
    convenience init(
        shrouded value: Span<UInt8>, _ name: PFX.BagName, _ password: inout PFXPassword
    ) throws(PFXError) {
        var outer = PFXReader(value)
        var bag = PFXReader(try outer.contents(.sequence))
        try outer.end()
        let algorithm = try bag.contents(.sequence)
        let ciphertext = try bag.contents(.octetString)
        try bag.end()
        let opened = try password.open(ciphertext, algorithm)
        try self.init(opened.bytes, name)
    }

    /// Reads a PrivateKeyInfo (RFC 5958, 2).
    convenience init(_ value: Span<UInt8>, _ name: PFX.BagName) throws(PFXError) {
        var outer = PFXReader(value)
        var info = PFXReader(try outer.contents(.sequence))
        try outer.end()
        _ = try info.number()
        var identifier = PFXReader(try info.contents(.sequence))
        let algorithm = try identifier.objectIdentifier()
        try self.init(gost: value, algorithm, name)
    }

    private convenience init(gost der: Span<UInt8>, _ algorithm: [UInt8], _ name: PFX.BagName) throws(PFXError) {
        guard PublicKeyAlgorithm(privateKey: algorithm) != nil else { throw .unsupported(algorithm) }
        do throws(GOSTError) {
            let info = try PrivateKeyInfo(der: der)
            let point = try info.key.publicKey()
            let publicKey = try SubjectPublicKeyInfo(algorithm: info.algorithm.algorithm, key: point)
            self.init(.gost(info), .gost(publicKey), name)
        } catch {
            throw PFXError(error, else: error == .invalidEncoding ? .damaged : .invalidKey)
        }
    }
}
