// SPDX-License-Identifier: Apache-2.0
// authority PIN COMMAND LABEL [rsa|p256]: certificates by keys of the token, through swift-certificates, in PEM on standard
// output. The commands:
//   root      makes a key pair of this label, and a certificate of an authority of this name, signed by itself
//   request   makes a key pair of this label, and a request for a certificate for localhost
//   issue     issues a certificate for the request on standard input, by the authority of this label
import FoundationEssentials
import KanalCertificates
import KanalKit
import SwiftASN1
import X509

/// A token, and the label of the key pair that signs.
struct Authority {
    let token: Token
    let pin: String
    let label: String

    var name: DistinguishedName { get throws { try DistinguishedName { CommonName(label) } } }

    /// The private key of the pair with the label.
    ///
    /// - Parameter kind: The kind of the pair to make; nil for an existing pair.
    func privateKey(making kind: KeyKind? = nil) async throws -> TokenPrivateKey {
        let pair = try await token.perform(pin: PIN(pin)) { session in
            if let kind { return try session.generateKeyPair(kind, id: Array(label.utf8), label: label) }
            guard let pair = try session.keyPairs().first(where: { $0.label == label }) else {
                throw KanalError.objectNotFound
            }
            return pair
        }
        return try await TokenPrivateKey(pair, on: token)
    }

    func root(_ kind: KeyKind) async throws -> Certificate {
        let key = try await privateKey(making: kind)
        let extensions = try Certificate.Extensions {
            Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
            Critical(KeyUsage(keyCertSign: true))
            SubjectKeyIdentifier(hash: key.publicKey)
        }
        return try await certificate(of: key.publicKey, subject: name, extensions, by: key)
    }

    func request(_ kind: KeyKind) async throws -> CertificateSigningRequest {
        let key = try await privateKey(making: kind)
        return try await CertificateSigningRequest(
            version: .v1, subject: DistinguishedName { CommonName("localhost") },
            asyncPrivateKey: Certificate.PrivateKey(key), attributes: CertificateSigningRequest.Attributes(),
            signatureAlgorithm: key.defaultSignatureAlgorithm)
    }

    func issue(for request: CertificateSigningRequest) async throws -> Certificate {
        guard request.publicKey.isValidSignature(request.signature, for: request) else {
            throw KanalError.invalidArgument("the request is not signed by its own key")
        }
        let key = try await privateKey()
        let extensions = try Certificate.Extensions {
            Critical(BasicConstraints.notCertificateAuthority)
            SubjectAlternativeNames([.dnsName("localhost")])
            SubjectKeyIdentifier(hash: request.publicKey)
            AuthorityKeyIdentifier(keyIdentifier: SubjectKeyIdentifier(hash: key.publicKey).keyIdentifier)
        }
        return try await certificate(of: request.publicKey, subject: request.subject, extensions, by: key)
    }

    /// A certificate for a day, signed by the token: the initialiser that waits for the signature without a thread.
    private func certificate(
        of key: Certificate.PublicKey, subject: DistinguishedName, _ extensions: Certificate.Extensions,
        by issuer: TokenPrivateKey
    ) async throws -> Certificate {
        try await Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: key,
            notValidBefore: .now.addingTimeInterval(-3600), notValidAfter: .now.addingTimeInterval(86_400),
            issuer: name, subject: subject, signatureAlgorithm: issuer.defaultSignatureAlgorithm,
            extensions: extensions, issuerAsyncPrivateKey: Certificate.PrivateKey(issuer))
    }
}

let arguments = Array(CommandLine.arguments.dropFirst())
let kind: KeyKind = arguments.last == "rsa" ? .rsa(bits: 2048) : .p256
let authority = Authority(
    token: try await TokenManager().find(), pin: arguments.first ?? "", label: arguments.dropFirst(2).first ?? "")
switch arguments.dropFirst().first {
case "root": print(try await authority.root(kind).serializeAsPEM().pemString)
case "request": print(try await authority.request(kind).serializeAsPEM().pemString)
case "issue":
    var text = ""
    while let line = readLine(strippingNewline: false) { text += line }
    let request = try CertificateSigningRequest(pemEncoded: text)
    print(try await authority.issue(for: request).serializeAsPEM().pemString)
default: print("usage: authority PIN root|request|issue LABEL [rsa|p256]")
}
