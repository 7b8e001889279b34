// SPDX-License-Identifier: Apache-2.0
import GOST
import HostCrypto

/// A signed token (JSON Web Token, RFC 7519) of the identity service whose signature and claims were verified.
public struct WebToken: Sendable, Equatable {
    /// A value that a token claims.
    public indirect enum Claim: Sendable, Equatable {
        /// A text.
        case text(String)
        /// A number, as it is written.
        case number(String)
        /// True or false.
        case flag(Bool)
        /// Several values.
        case list([Claim])
        /// Values by their names.
        case object([String: Claim])
        /// No value.
        case null
    }

    /// The token's claims, by their names.
    public let claims: [String: Claim]
    /// When it ends to be valid, in seconds since 1970.
    public let expiry: Int64

    /// Whose token it is: `sub`, or the number of a person that the service itself uses.
    public var subject: String? { Self.subjectNames.lazy.compactMap(text).first }

    private static let subjectNames = ["sub", "urn:esia:sbj_id"]

    private func text(_ name: String) -> String? {
        switch claims[name] {
        case .text(let text)?, .number(let text)?: text
        default: nil
        }
    }

    /// Whether two tokens are of the same person: by all names of a person that both have, or else by ``subject``.
    func hasSubject(of other: WebToken) -> Bool {
        let pairs = Self.subjectNames.compactMap { name in
            text(name).flatMap { own in other.text(name).map { (own, $0) } }
        }
        guard pairs.isEmpty else { return pairs.allSatisfy { $0.utf8.elementsEqual($1.utf8) } }
        guard let own = subject, let others = other.subject else { return subject == nil && other.subject == nil }
        return own.utf8.elementsEqual(others.utf8)
    }

    /// Requirements for accepting a token.
    struct Requirements {
        let keys: [PublicKeyInfo]
        let issuer: String
        let clientID: String
        let time: Int64

        /// How far the service's clock may be from this one, in seconds.
        static let tolerance: Int64 = 60
    }

    /// The longest token.
    static let limit = 1 << 17

    /// Verifies a token.
    init(_ text: [UInt8], _ requirements: Requirements) throws(ESIAError) {
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard text.count <= Self.limit, parts.count == 3, let header = Base64URL.bytes(parts[0]),
            let payload = Base64URL.bytes(parts[1]), let signature = Base64URL.bytes(parts[2])
        else { throw .tokenRefused(.malformed) }
        try Self.verify(signature, of: Array(text.prefix(parts[2].startIndex - 1)), header, requirements.keys)
        let values = try Self.object(payload)
        expiry = try Self.check(values, requirements)
        claims = values.mapValues(Claim.init)
    }

    private static func object(_ text: [UInt8]) throws(ESIAError) -> [String: JSONValue] {
        do throws(JSONReader.Malformed) { return try JSONReader.object(text) } catch {
            throw .tokenRefused(.malformed)
        }
    }

    /// Requires that one of the keys has made the signature, by the algorithm that the header names (RFC 7515, 5.2).
    private static func verify(
        _ signature: [UInt8], of message: [UInt8], _ header: [UInt8], _ keys: [PublicKeyInfo]
    ) throws(ESIAError) {
        let header = try object(header)
        // A critical header parameter would have to be understood.
        guard header["crit"] == nil, let algorithm = header["alg"], case .text = algorithm else {
            throw .tokenRefused(.malformed)
        }
        let fitting = keys.filter { $0.webAlgorithm.map(algorithm.isText) ?? false }
        guard !fitting.isEmpty else { throw .tokenRefused(.wrongAlgorithm) }
        do throws(HostCryptoError) {
            for key in fitting {
                let hash = key.webHash
                let digest = try Digest.digest(message.span, hash)
                if try key.isValidSignature(signature, of: digest, hash) { return }
            }
        } catch {
            throw .failed
        }
        throw .tokenRefused(.wrongSignature)
    }

    /// - Returns: When the token ends to be valid.
    private static func check(
        _ claims: [String: JSONValue], _ requirements: Requirements
    ) throws(ESIAError) -> Int64 {
        guard claims["iss"]?.isText(requirements.issuer) == true else { throw .tokenRefused(.wrongIssuer) }
        // An access token names the program, and an identity token its recipient.
        guard claims["aud"] != nil || claims["client_id"] != nil,
            claims["aud"].map({ $0.names(requirements.clientID) }) ?? true,
            claims["client_id"].map({ $0.isText(requirements.clientID) }) ?? true
        else { throw .tokenRefused(.wrongAudience) }
        guard let expiry = try time("exp", of: claims) else { throw .tokenRefused(.malformed) }
        // No sum of a time and the tolerance overflows: times are bounded.
        guard requirements.time < expiry + Requirements.tolerance else { throw .tokenRefused(.expired) }
        for name in ["nbf", "iat"] {
            guard let start = try time(name, of: claims) else { continue }
            guard start - Requirements.tolerance <= requirements.time else { throw .tokenRefused(.notYetValid) }
        }
        return expiry
    }

    /// A time in seconds since 1970 (RFC 7519, 2); nil if the token does not contain it.
    private static func time(_ name: String, of claims: [String: JSONValue]) throws(ESIAError) -> Int64? {
        guard let claim = claims[name] else { return nil }
        guard case .number(let text) = claim, let value = Double(text), (0..<253_402_300_800).contains(value) else {
            throw .tokenRefused(.malformed)
        }
        return Int64(value)
    }
}

extension WebToken.Claim {
    fileprivate init(_ value: JSONValue) {
        self =
            switch value {
            case .null: .null
            case .flag(let flag): .flag(flag)
            case .number(let text): .number(text)
            case .text(let bytes): .text(String(decoding: bytes, as: UTF8.self))
            case .list(let values): .list(values.map(Self.init))
            case .object(let members): .object(members.mapValues(Self.init))
            }
    }
}

extension JSONValue {
    /// Whether this is an audience with a program in it (RFC 7519, 4.1.3).
    fileprivate func names(_ program: String) -> Bool {
        if case .list(let values) = self { values.contains { $0.isText(program) } } else { isText(program) }
    }
}

extension PublicKeyInfo {
    /// The name in tokens of the algorithm by which the key signs them; nil for a key that signs none.
    var webAlgorithm: String? {
        switch self {
        case .gost(let info) where info.key.curve.coordinateSize == 32 && webHash == .streebog256: "GOST3410_2012_256"
        // RFC 7518, 3.3 wants 2048 bits.
        case .rsa(let key) where key.modulus.count >= 256: "RS256"
        default: nil
        }
    }

    fileprivate var webHash: DigestAlgorithm {
        if case .gost(let info) = self {
            HostCrypto.SignatureAlgorithm.gost(info.algorithm.algorithm).digest
        } else {
            .sha256
        }
    }
}
