// SPDX-License-Identifier: Apache-2.0

import KanalKit
package import Translation

/// The state's identity service (ESIA), as a program sees it that signs people in: OpenID Connect with the
/// authorization code flow, in which the program proves itself by signatures of a token's key.
///
/// The program does the networking. This library makes the requests and reads the replies: the user's browser opens
/// ``SignInRequest/url``, ``code(from:state:)`` reads the address that the browser is sent to, the program sends a
/// ``TokenRequest``, and ``tokens(from:status:state:trusting:at:)`` verifies the reply.
public struct ESIAService: Sendable, Equatable {
    /// Which of the service's interfaces is spoken: they want different signatures.
    public enum Generation: Sendable, Hashable, CaseIterable {
        /// Before version 2.90: `client_secret` is a detached CMS message.
        case first
        /// From version 2.90 on: `client_secret` is the signature; `client_certificate_hash` identifies the signer.
        case second
    }

    /// The program's name at the service, its mnemonic: `client_id`.
    public var clientID: String
    /// The facts that the program wants to know, for instance `openid` and `fullname`.
    public var scope: [String]
    /// The address to which the service redirects the user's browser with its answer, as registered.
    public var redirectURI: String
    /// The service's address, without a path: `https://` and a name.
    public var host: String
    /// Which interface is spoken.
    public var generation: Generation
    /// The path of the authorisation page.
    public var authorizationPath: String
    /// The path at which the code is exchanged.
    public var tokenPath: String
    /// The maker that tokens of the service name: `iss`.
    public var issuer = "http://esia.gosuslugi.ru/"
    /// Whether the program works on when the user has left: `access_type=offline`.
    public var isOffline = false

    /// - Parameters:
    ///   - clientID: The program's mnemonic.
    ///   - scope: The facts that the program asks for.
    ///   - redirectURI: The registered address of the answer.
    ///   - host: The address of the service itself, or of the service for tests.
    ///   - generation: Which interface is spoken. The paths follow it, and can be changed.
    public init(
        clientID: String, scope: [String], redirectURI: String, host: String = "https://esia.gosuslugi.ru",
        generation: Generation = .second
    ) {
        self.clientID = clientID
        self.scope = scope
        self.redirectURI = redirectURI
        self.host = host
        self.generation = generation
        (authorizationPath, tokenPath) =
            switch generation {
            case .first: ("/aas/oauth2/ac", "/aas/oauth2/te")
            case .second: ("/aas/oauth2/v2/ac", "/aas/oauth2/v3/te")
            }
    }

    /// The scope as requests have it.
    var scopeText: String { scope.joined(separator: " ") }

    /// Refuses what would make another request than the program means.
    func check() throws(KanalError) {
        try Self.check(clientID, "client_id")
        guard !scope.isEmpty else { throw .invalidArgument("the scope is empty") }
        for name in scope { try Self.check(name, "scope") }
        try Self.check(redirectURI, "redirect_uri")
        guard redirectURI.contains(":"), !redirectURI.contains("#") else {
            throw .invalidArgument("redirect_uri is not an address that can have an answer behind it")
        }
        try Self.check(host, "address of the service")
        let name = host.dropFirst("https://".count)
        guard host.hasPrefix("https://"), !name.isEmpty, !name.contains(where: "/?#@\\\"'<>%".contains) else {
            throw .invalidArgument("the address of the service is https:// and a name, without a path")
        }
        for path in [authorizationPath, tokenPath] {
            try Self.check(path, "path")
            guard path.hasPrefix("/"), !path.hasPrefix("//"), !path.contains(where: "?#\\\"'<>".contains) else {
                throw .invalidArgument("a path of the service begins with / and has no parameters")
            }
        }
    }

    /// The longest part of a request.
    private static let limit = 2048

    /// Only visible characters of ASCII, which all programs on the way understand alike.
    private static func check(_ text: String, _ name: String) throws(KanalError) {
        guard !text.isEmpty, text.utf8.count <= limit, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw .invalidArgument("\(name) is empty, too long, or has other characters than visible ones of ASCII")
        }
    }
}

/// A fault of a token of the identity service.
public enum WebTokenFault: Error, Sendable, Equatable {
    /// It is not a signed token (RFC 7519) of the service's form.
    case malformed
    /// It is signed by an algorithm that is not accepted, or by none, or by an algorithm that fits no given key.
    case wrongAlgorithm
    /// No given key has made the signature.
    case wrongSignature
    /// Another service has made it.
    case wrongIssuer
    /// It is for another program.
    case wrongAudience
    /// It is about a person other than the access token's.
    case wrongSubject
    /// It is not valid any more.
    case expired
    /// It is not valid yet, or was made in the future.
    case notYetValid
}

extension WebTokenFault: CustomStringConvertible {
    public var description: String { explanation.description }

    package var explanation: Phrase {
        switch self {
        case .malformed: "it cannot be read"
        case .wrongAlgorithm: "none of the service's certificates is for its algorithm"
        case .wrongSignature: "its signature is wrong"
        case .wrongIssuer: "another service has made it"
        case .wrongAudience: "it is for another program"
        case .wrongSubject: "it names a different person than the access token"
        case .expired: "it has expired"
        case .notYetValid: "it is not valid yet"
        }
    }
}
