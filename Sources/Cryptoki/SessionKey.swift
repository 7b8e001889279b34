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
            let curve = key.curve
            return try parameters.agree(size: curve.coordinateSize, derivation, sBox: sBox) {
                peer, ukm, hash throws(CKError) in
                do throws(GOSTError) { return try key.vko(PublicKey(curve: curve, bytes: peer), ukm, hash) } catch {
                    // All lengths and numbers but the key's come with the mechanism.
                    throw error == .libraryFailure ? .functionFailed : .mechanismParameterInvalid
                }
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

extension PrivateKey {
    fileprivate borrowing func vko(
        _ peer: PublicKey, _ ukm: [UInt8], _ hash: HashAlgorithm
    ) throws(GOSTError) -> Secret {
        switch hash {
        case .gostR341194: try vko2001(with: peer, ukm: ukm.span)
        case .streebog256: try vko2012256(with: peer, ukm: ukm.span)
        case .streebog512: try vko2012512(with: peer, ukm: ukm.span)
        }
    }
}
