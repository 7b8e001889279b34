// SPDX-License-Identifier: Apache-2.0
import Glibc
import HostCrypto
import KanalKit
import Secrets

extension ESIAService {
    /// Reads the address that the user's browser was sent to.
    ///
    /// - Parameters:
    ///   - answer: The address, which begins with ``redirectURI``.
    ///   - state: The request's. An answer is valid once: forget the state then.
    /// - Returns: The code, for `Session.tokenRequest`.
    /// - Throws: ``ESIAError/refused(_:description:)`` also if the user has refused.
    public func code(from answer: String, state: String) throws(ESIAError) -> String {
        let mark = redirectURI.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
        let start = Array((redirectURI + mark).utf8)
        let rest = Substring(String(decoding: answer.utf8.dropFirst(start.count), as: UTF8.self))
        guard answer.utf8.count <= Self.answerLimit, answer.utf8.starts(with: start),
            let values = FormParameters.values(rest.prefix { $0 != "#" })
        else { throw .malformed("the answer is not an address of this program, or cannot be read") }
        // Before anything else of it is believed.
        guard let given = values["state"], Self.areSame(given, state) else { throw .wrongState }
        if let name = values["error"] { throw .init(refusal: name, values["error_description"]) }
        guard let code = values["code"], !code.isEmpty else { throw .malformed("the answer has no code in it") }
        return code
    }

    /// Reads the reply to a request for tokens, and verifies those that are signed.
    ///
    /// - Parameters:
    ///   - reply: The body of the reply.
    ///   - status: The reply's HTTP status.
    ///   - state: The request's: ``TokenRequest/state``.
    ///   - certificates: The service's certificates, in DER, whose keys sign its tokens. They are trusted without
    ///     verification.
    ///   - time: In seconds since 1970; nil for now. The service's clock may be a minute off.
    public func tokens(
        from reply: [UInt8], status: Int, state: String, trusting certificates: [[UInt8]],
        at time: Int64? = nil
    ) throws(ESIAError) -> ESIATokens {
        let keys = try Self.keys(of: certificates)
        let values = try Self.members(of: reply, status)
        if let name = values["error"]?.string { throw .init(refusal: name, values["error_description"]?.string) }
        guard status == 200 else { throw .malformed("the identity service replies with the status \(status)") }
        if let value = values["state"] {
            guard let given = value.string, Self.areSame(given, state) else { throw .wrongState }
        }
        guard case .text(let access)? = values["access_token"],
            values["token_type"]?.string?.lowercased() ?? "bearer" == "bearer"
        else { throw .malformed("the reply of the identity service has no token of access in it") }
        let requirements = WebToken.Requirements(
            keys: keys, issuer: issuer, clientID: clientID, time: time ?? Int64(Glibc.time(nil)))
        let accessClaims = try WebToken(access, requirements)
        let identity = try Self.text("id_token", of: values)
        let identityClaims = try Self.verified(identity, requirements)
        guard identityClaims?.hasSubject(of: accessClaims) ?? true else { throw .tokenRefused(.wrongSubject) }
        return ESIATokens(
            access: BearerToken(access), accessClaims: accessClaims,
            identity: identityClaims, identityToken: identity.map(BearerToken.init),
            renewal: try Self.text("refresh_token", of: values).map(BearerToken.init))
    }

    /// The longest answer, and the longest reply.
    private static let (answerLimit, replyLimit) = (1 << 14, 1 << 20)

    private static func verified(
        _ token: [UInt8]?, _ requirements: WebToken.Requirements
    ) throws(ESIAError) -> WebToken? {
        guard let token else { return nil }
        return try WebToken(token, requirements)
    }

    private static func members(of reply: [UInt8], _ status: Int) throws(ESIAError) -> [String: JSONValue] {
        guard reply.count <= replyLimit else { throw .malformed("the reply of the identity service is too long") }
        do throws(JSONReader.Malformed) { return try JSONReader.object(reply) } catch {
            throw .malformed("the identity service does not reply with JSON; the status is \(status)")
        }
    }

    /// A token that may be missing, or null (RFC 6749, A.12 and A.17).
    private static func text(
        _ name: String, of values: [String: JSONValue]
    ) throws(ESIAError) -> [UInt8]? {
        switch values[name] {
        case nil, .null?: return nil
        case .text(let bytes)? where bytes.allSatisfy({ (0x20...0x7E).contains($0) }): return bytes
        default: throw .malformed("the identity service returned an invalid \(name)")
        }
    }

    private static func keys(of certificates: [[UInt8]]) throws(ESIAError) -> [PublicKeyInfo] {
        var keys: [PublicKeyInfo] = []
        for der in certificates {
            do throws(HostCryptoError) {
                let certificate = try HostCrypto.Certificate(der: der.span)
                let info = certificate.subjectPublicKeyInfo
                let key = try PublicKeyInfo(der: info.span)
                guard key.isStrong, key.webAlgorithm != nil else { throw .invalidParameter }
                keys.append(key)
            } catch {
                throw .unusableCertificate
            }
        }
        guard !keys.isEmpty else { throw .unusableCertificate }
        return keys
    }

    /// Whether two texts are the same, in constant time.
    private static func areSame(_ left: String, _ right: String) -> Bool {
        let (left, right) = (Array(left.utf8), Array(right.utf8))
        return !right.isEmpty && constantTimeEqual(left.span, right.span)
    }
}

extension ESIAError {
    /// The longest text of a service that is shown.
    private static let limit = 300

    /// The service's words about a refusal.
    init(refusal name: String, _ description: String?) {
        self = .refused(String(name.prefix(Self.limit)), description: description.map { String($0.prefix(Self.limit)) })
    }
}
