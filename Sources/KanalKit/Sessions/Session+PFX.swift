// SPDX-License-Identifier: Apache-2.0
import Cryptoki
import HostCrypto
import Secrets

extension Session {
    /// Puts the private keys of a PFX file (PKCS #12) onto the token, with their public keys and certificates. They cannot
    /// be read back.
    ///
    /// - Parameters:
    ///   - file: The file's bytes. Nothing of them is written to disk.
    ///   - password: The file's password.
    ///   - label: A name for the key pairs; nil for the file's own names.
    /// - Throws: ``KanalError/passwordIncorrect(triesLeft:)`` for a wrong password; ``KanalError/invalidArgument(_:)`` for a
    ///   file that cannot be read, with the reason. Keys before one that is refused stay.
    public func importPFX(
        _ file: [UInt8], password: borrowing PIN, label: String? = nil
    ) throws(KanalError) -> [KeyPair] {
        let secret = password.secret.secret.copy()
        let pfx: PFX
        do throws(PFXError) { pfx = try PFX(parsing: file.span, password: secret) } catch {
            guard error == .wrongPassword else {
                throw .invalidArgument("the PFX file cannot be read: \(error)")
            }
            throw .passwordIncorrect(triesLeft: nil)
        }
        guard !pfx.keys.isEmpty else { throw .invalidArgument("the PFX file has no private key") }
        var ids: [[UInt8]] = []
        for key in pfx.keys {
            let imported = try call { session throws(CKError) in
                try session.importPFX(key, of: pfx, label: label.map { Array($0.utf8) })
            }
            ids.append(imported.id)
        }
        return try keyPairs().filter { ids.contains($0.id) }
    }
}
