// SPDX-License-Identifier: Apache-2.0

import GOST
import Secrets

/// A responder's signed statement about certificates of one issuer, BasicOCSPResponse (RFC 6960, 4.2.1).
package struct OCSPResponse: Sendable {
    /// The BasicOCSPResponse in DER, as messages keep it (RFC 5126, 6.3.4).
    package let der: [UInt8]
    /// When the response was signed, in seconds since 1970.
    package let producedAt: Int
    private let responder: Responder
    /// The ResponderID and the time of the signature, in DER.
    private let name: [UInt8]
    private let answers: [OCSPAnswer]
    /// The extnValue of the nonce; nil without one.
    private let nonce: [UInt8]?
    /// Whether it has no critical extension that is not heeded here.
    private let isUnderstood: Bool
    /// The ResponseData in DER, which is signed.
    private let content: [UInt8]
    /// The object identifier in DER, and the contents of the BIT STRING.
    private let algorithm, signature: [UInt8]
    /// The certificates that the responder has sent along.
    package let certificates: [Certificate]

    /// ResponderID.
    private enum Responder: Sendable, Equatable {
        /// The Name in DER.
        case name([UInt8])
        /// The SHA-1 digest of the bits of the key.
        case keyHash([UInt8])
    }

    /// The greatest number of answers and of certificates that are read.
    private static let limit = 64

    /// Reads a responder's reply.
    ///
    /// - Parameter reply: The OCSPResponse in DER.
    /// - Throws: ``OCSPFault/malformed``; ``OCSPFault/refused(_:)``.
    package init(reply: [UInt8]) throws(OCSPFault) {
        let (status, basic): (UInt8, [UInt8])
        do throws(GOSTError) { (status, basic) = try Self.parts(of: reply) } catch { throw .malformed }
        if let refusal = OCSPFault.Refusal(rawValue: status) { throw .refused(refusal) }
        guard status == 0 else { throw .malformed }
        try self.init(der: basic)
    }

    /// The responseStatus, and the BasicOCSPResponse in DER of a reply that is successful.
    private static func parts(of reply: [UInt8]) throws(GOSTError) -> (UInt8, [UInt8]) {
        var reader = DERReader(reply.span)
        var fields = try reader.nested(.sequence)
        try reader.end()
        let status = try fields.contents(.enumerated)
        guard status.count == 1 else { throw .invalidEncoding }
        guard status[0] == 0 else { return (status[0], []) }
        var outer = try fields.nested(.context0)
        try fields.end()
        var bytes = try outer.nested(.sequence)
        try outer.end()
        guard try bytes.objectIdentifier() == OCSPRequest.pkixOCSP(1) else { throw .invalidEncoding }
        let basic = [UInt8](copying: try bytes.contents(.octetString))
        try bytes.end()
        return (0, basic)
    }

    /// The successful OCSPResponse around a BasicOCSPResponse.
    static func reply(around basic: [UInt8]) -> [UInt8] {
        let bytes = DERTag.sequence.element(OCSPRequest.pkixOCSP(1) + DERTag.octetString.element(basic))
        return DERTag.sequence.element(DERTag.enumerated.element([0]) + DERTag.context0.element(bytes))
    }

    /// The OcspIdentifier in DER, by which references name the response (RFC 5126, 6.2.2): the responder, and when it signed.
    var identifier: [UInt8] { DERTag.sequence.element(name) }

    /// - Parameter der: The BasicOCSPResponse in DER.
    /// - Throws: ``OCSPFault/malformed``.
    package init(der: [UInt8]) throws(OCSPFault) {
        do throws(GOSTError) { try self.init(reading: der) } catch { throw .malformed }
    }

    private init(reading der: [UInt8]) throws(GOSTError) {
        self.der = der
        var reader = DERReader(der.span)
        var fields = try reader.nested(.sequence)
        try reader.end()
        content = [UInt8](copying: try fields.element(.sequence))
        var identifier = try fields.nested(.sequence)
        algorithm = try identifier.objectIdentifier()
        let bits = try fields.contents(.bitString)
        guard !bits.isEmpty, bits[0] == 0 else { throw .invalidEncoding }
        signature = [UInt8](copying: bits.extracting(droppingFirst: 1))
        certificates = try Self.certificates(&fields)
        try fields.end()

        let content = content
        var outer = DERReader(content.span)
        var data = try outer.nested(.sequence)
        // The only version is 1, the default.
        if data.isAt(.context0) { _ = try data.contents(.context0) }
        var rest = data
        responder = try Self.responder(&data)
        producedAt = try data.generalizedTime()
        name = [UInt8](copying: rest.remainder()).dropLast(data.count)
        var list = try data.nested(.sequence)
        var answers: [OCSPAnswer] = []
        while !list.isAtEnd, answers.count < Self.limit { answers.append(try OCSPAnswer(&list)) }
        self.answers = answers
        (nonce, isUnderstood) = try Self.extensions(&data)
        try data.end()
    }

    private static func responder(_ data: inout DERReader) throws(GOSTError) -> Responder {
        if data.isAt(.context1) {
            var explicit = try data.nested(.context1)
            return .name([UInt8](copying: try explicit.element(.sequence)))
        }
        var explicit = try data.nested(.context2)
        return .keyHash([UInt8](copying: try explicit.contents(.octetString)))
    }

    /// Certificates that cannot be read are of no help.
    private static func certificates(_ fields: inout DERReader) throws(GOSTError) -> [Certificate] {
        guard fields.isAt(.context0) else { return [] }
        var explicit = try fields.nested(.context0)
        var list = try explicit.nested(.sequence)
        var found: [Certificate] = []
        while !list.isAtEnd, found.count < limit {
            let der = [UInt8](copying: try list.element(.sequence))
            if let certificate = try? Certificate(der: der.span) { found.append(certificate) }
        }
        return found
    }

    private static func extensions(_ data: inout DERReader) throws(GOSTError) -> ([UInt8]?, Bool) {
        guard data.isAt(.context1) else { return (nil, true) }
        var explicit = try data.nested(.context1)
        var list = try explicit.nested(.sequence)
        var (nonce, isUnderstood): ([UInt8]?, Bool) = (nil, true)
        while !list.isAtEnd {
            let (type, isCritical, value) = try list.extension()
            if type == OCSPRequest.nonceType {
                nonce = value
            } else if isCritical {
                isUnderstood = false
            }
        }
        return (nonce, isUnderstood)
    }

    /// Whether the response may be about a certificate of this issuer: before any signature is verified.
    ///
    /// - Throws: ``HostCryptoError/libraryFailure``.
    func answer(about certificate: Certificate, of issuer: Certificate) throws(HostCryptoError) -> OCSPAnswer? {
        for answer in answers where try answer.identifier.names(certificate, issuer: issuer) { return answer }
        return nil
    }

    /// The state of a certificate, after everything about the response was verified.
    ///
    /// The signer is the issuer, or a responder whose certificate the issuer itself has signed, with the purpose OCSPSigning,
    /// valid when it signed (RFC 6960, 4.2.2.2). The revocation of the responder's own certificate is not looked at.
    ///
    /// - Parameters:
    ///   - certificate: In DER.
    ///   - issuer: The certificate of its issuer, in DER, which the caller trusts.
    ///   - time: The time at which the response must be current, in seconds since 1970; nil for a response of any age.
    ///   - nonce: The nonce of the request. A response without one is accepted: many are made beforehand.
    /// - Throws: The reason why the response does not count.
    package func state(
        of certificate: [UInt8], issuer: [UInt8], at time: Int?, nonce: [UInt8] = []
    ) throws(OCSPFault) -> OCSPAnswer {
        let read: (certificate: Certificate, issuer: Certificate)
        do throws(HostCryptoError) {
            read = (try Certificate(der: certificate.span), try Certificate(der: issuer.span))
        } catch {
            throw .failure(error)
        }
        let (answer, signer) = try verified(about: read.certificate, issuer: read.issuer, nonce: nonce)
        if let time { try answer.requireCurrent(at: time, signer: signer) }
        return answer
    }

    /// The state as ``state(of:issuer:at:nonce:)`` verifies it, of any age, and the signer's certificate.
    func verified(
        about certificate: Certificate, issuer: Certificate, nonce: [UInt8] = []
    ) throws(OCSPFault) -> (OCSPAnswer, signer: Certificate) {
        let answer: OCSPAnswer?, signer: (certificate: Certificate, key: PublicKeyInfo)?, isSigned: Bool
        do throws(HostCryptoError) {
            let isIssuer = certificate.issuer == issuer.subject
            answer = isIssuer ? try self.answer(about: certificate, of: issuer) : nil
            signer = answer == nil ? nil : try self.signer(authorizedBy: issuer)
            isSigned = if let signer { try self.isSigned(with: signer.key) } else { false }
        } catch {
            throw .failure(error)
        }
        guard let answer else { throw .wrongCertificate }
        guard let signer else { throw .unauthorizedResponder }
        guard isSigned else { throw .wrongSignature }
        guard isUnderstood, answer.isUnderstood else { throw .malformed }
        if let own = self.nonce, !nonce.isEmpty, own != DERTag.octetString.element(nonce) { throw .wrongNonce }
        return (answer, signer.certificate)
    }

    /// The responder's certificate and key; nil if it has no right to answer for the issuer.
    private func signer(
        authorizedBy issuer: Certificate
    ) throws(HostCryptoError) -> (certificate: Certificate, key: PublicKeyInfo)? {
        guard let issuerKey = try? PublicKeyInfo(der: issuer.subjectPublicKeyInfo.span), issuerKey.isStrong else {
            return nil
        }
        if try isResponder(issuer) { return (issuer, issuerKey) }
        for certificate in certificates where try isResponder(certificate) {
            guard certificate.issuer == issuer.subject, certificate.answersForIssuer,
                let validity = try? certificate.validity, validity.notBefore <= producedAt,
                producedAt < validity.notAfter,
                certificate.structure.signatureAlgorithm?.digest.resistsCollisions == true,
                try certificate.isSigned(with: issuerKey),
                let key = try? PublicKeyInfo(der: certificate.subjectPublicKeyInfo.span), key.isStrong
            else { continue }
            return (certificate, key)
        }
        return nil
    }

    private func isResponder(_ certificate: Certificate) throws(HostCryptoError) -> Bool {
        switch responder {
        case .name(let name): name == certificate.subject
        case .keyHash(let hash): try hash == certificate.publicKeyHash
        }
    }

    private func isSigned(with key: PublicKeyInfo) throws(HostCryptoError) -> Bool {
        guard let algorithm = SignatureAlgorithm(oid: algorithm), algorithm.digest.resistsCollisions,
            algorithm.isUsed(with: key)
        else { return false }
        let digest = try Digest.digest(content.span, algorithm.digest)
        return try key.isValidSignature(signature, of: digest, algorithm.digest)
    }
}
