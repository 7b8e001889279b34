import APDU
import HostCrypto
package import Secrets

/// What the card computes with: what MANAGE SECURITY ENVIRONMENT last set.
struct SecurityEnvironment: Equatable {
    let use: CardCommand.KeyUse
    /// The number of the key.
    let key: UInt8
}

/// Computing with RSA keys. The card takes whole blocks, little-endian; padding is the host's business.
extension Token {
    /// The private operation on a block that was padded for a signature. Needs User's login.
    ///
    /// - Parameter block: As long as the modulus and below it, big-endian.
    /// - Returns: As long as the modulus, big-endian.
    package func sign(block: [UInt8], with key: TokenRSAKey) throws(TokenError) -> [UInt8] {
        let signature = try apply(key, to: block, for: .signature)
        return [UInt8](copying: signature)
    }

    /// The private operation on a cryptogram. Needs User's login.
    ///
    /// - Parameter block: As long as the modulus and below it, big-endian.
    /// - Returns: The padded plaintext, as long as the modulus, big-endian.
    package func decipher(block: [UInt8], with key: TokenRSAKey) throws(TokenError) -> Secret {
        try apply(key, to: block, for: .decipherment)
    }

    /// Has the card compute (PSO), with the key set before (MSE). A key that was set last time is not set again, which
    /// without a channel another process may have undone meanwhile: what another key makes of the block goes nowhere.
    private func apply(
        _ key: TokenRSAKey, to block: [UInt8], for use: CardCommand.KeyUse
    ) throws(TokenError) -> Secret {
        guard key.half == .privateKey, block.count == key.bits / 8 else { throw .unsupported }
        let wanted = SecurityEnvironment(use: use, key: key.number)
        return try transaction(first: .act) { card throws(TokenError) in
            try card.requireLogin(.user)
            if card.session.known.environment == wanted, let publicKey = key.publicKey {
                do throws(TokenError) {
                    let result = try card.compute(block, use)
                    if publicKey.isInverse(result, of: block) { return result }
                } catch {
                    guard error.isRefusal else { throw error }
                }
            }
            let setKey = CardCommand.setKey(key.number, for: use)
            for response in try card.sendFirst([setKey], asking: !card.isPlain) { _ = try card.data(of: response) }
            let result = try card.compute(block, use)
            // A result that is wrong, by a fault of the card, could give the private key away.
            guard key.publicKey?.isInverse(result, of: block) != false else { throw .malformedAnswer }
            card.session.known.environment = wanted
            return result
        }
    }
}

extension Transaction {
    fileprivate func compute(_ block: [UInt8], _ use: CardCommand.KeyUse) throws(TokenError) -> Secret {
        // PSO COMPUTE DIGITAL SIGNATURE, or DECIPHER.
        let (p1, p2): (UInt8, UInt8) = use == .signature ? (0x9E, 0x9A) : (0x80, 0x86)
        let answer = try performLong(
            0x2A, p1, p2, Secret(copying: block.reversed()), ne: block.count)
        guard answer.count == block.count else { throw .malformedAnswer }
        return answer.reversed()
    }
}

extension TokenRSAKey {
    /// The public key; nil if the token does not give it back.
    fileprivate var publicKey: RSAPublicKey? {
        guard let modulus, let publicExponent else { return nil }
        return try? RSAPublicKey(modulus: modulus, publicExponent: publicExponent)
    }
}

extension RSAPublicKey {
    /// Whether the public operation makes `block` of the result.
    fileprivate func isInverse(_ result: borrowing Secret, of block: [UInt8]) -> Bool {
        (try? encrypt(result.bytes, .raw)) == block
    }
}

extension TokenError {
    /// Whether the card did not know what to compute with.
    fileprivate var isRefusal: Bool {
        switch self {
        case .refused, .notFound: true
        default: false
        }
    }
}
