import GOST
import Secrets

/// A key that lives in this process.
final class SessionKey {
    private enum Material: ~Copyable {
        case gost(PrivateKey)
        case secret(Secret)
    }

    private let material: Material

    init(_ key: consuming PrivateKey) { material = .gost(key) }
    init(_ secret: consuming Secret) { material = .secret(secret) }

    /// s ‖ r, each big-endian.
    func sign(digest: [UInt8], random: any RandomSource) throws(CKError) -> [UInt8] {
        switch material {
        case .gost(let key):
            do { return try key.sign(digest: digest.span, random: random) } catch { throw CKError(error) }
        case .secret:
            throw .keyTypeInconsistent
        }
    }

    /// What the key and the other side's public key agree on.
    func agree(
        _ parameters: AgreementParameters, _ derivation: KeyDerivation, sBox: SBox
    ) throws(CKError) -> Secret {
        switch material {
        case .gost(let key):
            do throws(GOSTError) { return try parameters.agree(key, derivation, sBox: sBox) } catch {
                // All lengths and numbers but the key's come with the mechanism.
                throw error == .libraryFailure ? .functionFailed : .mechanismParameterInvalid
            }
        case .secret:
            throw .keyTypeInconsistent
        }
    }

    /// A secret key's value.
    func secret() throws(CKError) -> Secret {
        switch material {
        case .gost: throw .keyTypeInconsistent
        case .secret(let secret): return secret.copy()
        }
    }
}
