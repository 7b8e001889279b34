// SPDX-License-Identifier: Apache-2.0

import Glibc
public import KanalKit
import Secrets
import Translation

extension Session {
    /// Makes the request by which a user signs in.
    ///
    /// - Parameters:
    ///   - service: The service, and the program's registration there.
    ///   - certificate: The program's, which the service knows. Its private key is on the token: of GOST with 256 bits,
    ///     or of RSA.
    ///   - time: In seconds since 1970; nil for now. The service accepts requests of the last minutes only.
    /// - Throws: `KanalError.invalidArgument` also for a service that is not described as one.
    public func signInRequest(
        to service: ESIAService, by certificate: TokenCertificate, at time: Int64? = nil
    ) throws(KanalError) -> SignInRequest {
        let (signed, state) = try parameters(of: service, certificate, code: nil, time)
        let parameters =
            signed + [("response_type", "code"), ("access_type", service.isOffline ? "offline" : "online")]
        return SignInRequest(
            url: service.host + service.authorizationPath + "?" + FormParameters.text(parameters), state: state)
    }

    /// Makes the request by which a program gets its tokens. The parameters are as for ``signInRequest(to:by:at:)``.
    ///
    /// - Parameter code: From ``ESIAService/code(from:state:)``. It is good for one request.
    public func tokenRequest(
        to service: ESIAService, by certificate: TokenCertificate, code: String, at time: Int64? = nil
    ) throws(KanalError) -> TokenRequest {
        let (signed, state) = try parameters(of: service, certificate, code: code, time)
        let parameters =
            signed + [("code", code), ("grant_type", "authorization_code"), ("token_type", "Bearer")]
        return TokenRequest(
            url: service.host + service.tokenPath, body: Array(FormParameters.text(parameters).utf8), state: state)
    }

    /// The parameters common to both requests, with the signature.
    private func parameters(
        of service: ESIAService, _ certificate: TokenCertificate, code: String?, _ time: Int64?
    ) throws(KanalError) -> (parameters: [(name: String, value: String)], state: String) {
        try service.check()
        let timestamp = try ServiceTime(secondsSince1970: time ?? Int64(Glibc.time(nil))).text
        let state = try randomIdentifier()
        let secret: String
        var parameters: [(name: String, value: String)] = [
            ("client_id", service.clientID), ("scope", service.scopeText), ("timestamp", timestamp), ("state", state),
            ("redirect_uri", service.redirectURI),
        ]
        switch service.generation {
        case .first:
            let text = service.scopeText + timestamp + service.clientID + state
            secret = try clientSecret(signing: Array(text.utf8), by: certificate)
        case .second:
            let text = parameters.map(\.value).joined() + (code ?? "")
            secret = try clientSecret(signing: Array(text.utf8), with: try keyPair(of: certificate))
            parameters.append(("client_certificate_hash", try certificate.fingerprint().hexadecimal.uppercased()))
        }
        return (parameters + [("client_secret", secret)], state)
    }

    /// A random UUID (RFC 9562, 5.4).
    private func randomIdentifier() throws(KanalError) -> String {
        var bytes: [UInt8]
        do throws(RandomUnavailable) { bytes = try SystemRandom().bytes(16) } catch {
            throw .refused(code: "CKR_FUNCTION_FAILED", reason: "the system has no random bytes")
        }
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = bytes.hexadecimal
        var (rest, parts) = (digits[...], [Substring]())
        for count in [8, 4, 4, 4, 12] {
            parts.append(rest.prefix(count))
            rest = rest.dropFirst(count)
        }
        return parts.joined(separator: "-")
    }
}

extension Session {
    /// Signs a string for the state's identity service, in the form of version 2.90 and later: the signature alone.
    ///
    /// - Parameters:
    ///   - text: The string.
    ///   - key: Of GOST with 256 bits, or of RSA.
    /// - Returns: The signature in base64url without padding: for GOST s and r, big-endian, 32 bytes each; for RSA,
    ///   RSASSA-PKCS1-v1_5 with SHA-256.
    /// - Throws: `KanalError.invalidArgument` for a key of another kind.
    public func clientSecret(signing text: [UInt8], with key: KeyPair) throws(KanalError) -> String {
        try key.kind.requireService()
        return Base64URL.text(try sign(text.span, with: key))
    }

    /// Signs a string for the state's identity service as it was wanted before version 2.90: a message that does not
    /// contain the string.
    ///
    /// - Parameters:
    ///   - text: The string.
    ///   - certificate: The signer's, whose private key is on the token: of GOST with 256 bits, or of RSA.
    /// - Returns: CMS SignedData in base64url without padding.
    /// - Throws: `KanalError.invalidArgument` for a key of another kind.
    public func clientSecret(signing text: [UInt8], by certificate: TokenCertificate) throws(KanalError) -> String {
        try certificate.summary().key.requireService()
        return Base64URL.text(try signedMessage(of: text, by: certificate, isDetached: true))
    }
}

extension KeyKind {
    /// Refuses a key that the service does not know.
    fileprivate func requireService() throws(KanalError) {
        switch self {
        case .gost256, .rsa: return
        default: throw .invalidArgument("the identity service accepts GOST keys of 256 bits and RSA keys")
        }
    }
}
