// SPDX-License-Identifier: Apache-2.0

import GOST
import Secrets

/// A time stamp: SignedData whose content is a TSTInfo (RFC 3161, 2.4.2).
package struct TimeStampToken: Sendable {
    /// The ContentInfo as it was received.
    package let bytes: [UInt8]
    /// The hash function, and the digest by it of the stamped bytes.
    package let digest: DigestAlgorithm, imprint: [UInt8]
    package let time: StampedTime
    /// The INTEGER in DER.
    package let serialNumber: [UInt8]
    /// An object identifier in DER.
    private let policy: [UInt8]
    /// The contents of the INTEGER.
    private let nonce: [UInt8]?
    private let message: SignedData

    /// - Parameter bytes: The ContentInfo in BER.
    /// - Throws: ``TimeStampFault/malformed``; ``TimeStampFault/weakAlgorithm`` for a hash function that is not known here.
    package init(_ bytes: [UInt8]) throws(TimeStampFault) {
        let message: SignedData
        do throws(HostCryptoError) { message = try SignedData(ber: bytes.span) } catch {
            throw error == .invalidParameter ? .weakAlgorithm : .malformed
        }
        guard let content = message.content, message.signers.count == 1, let signer = message.signers.first,
            signer.contentType == CMS.timeStampInfo, signer.namesCertificate
        else { throw .malformed }
        let info: Info
        do throws(GOSTError) { info = try Info(content) } catch { throw .malformed }
        guard let digest = DigestAlgorithm(oid: info.hash) else { throw .weakAlgorithm }
        guard info.imprint.count == digest.size else { throw .malformed }
        (self.bytes, self.message, self.digest, imprint) = (bytes, message, digest, info.imprint)
        (time, serialNumber, policy, nonce) = (info.time, info.serialNumber, info.policy, info.nonce)
    }

    /// TSTInfo.
    private struct Info {
        let policy, hash, imprint, serialNumber: [UInt8]
        let time: StampedTime
        let nonce: [UInt8]?

        init(_ content: [UInt8]) throws(GOSTError) {
            var reader = DERReader(content.span)
            var fields = try reader.nested(.sequence)
            try reader.end()
            guard [UInt8](copying: try fields.contents(.integer)) == [1] else { throw .invalidEncoding }
            policy = try fields.objectIdentifier()
            var stamped = try fields.nested(.sequence)
            var algorithm = try stamped.nested(.sequence)
            hash = try algorithm.objectIdentifier()
            imprint = [UInt8](copying: try stamped.contents(.octetString))
            try stamped.end()
            serialNumber = [UInt8](copying: try fields.element(.integer))
            time = try fields.stampedTime()
            if fields.isAt(.boolean) { _ = try fields.contents(.boolean) }
            nonce = fields.isAt(.integer) ? [UInt8](copying: try fields.contents(.integer)) : nil
            if fields.isAt(.context0) { _ = try fields.contents(.context0) }
            // None is known here: a critical one would change the stamp's meaning.
            if fields.isAt(.context1) {
                var extensions = try fields.nested(.context1)
                while !extensions.isAtEnd {
                    guard try !extensions.extension().isCritical else { throw .invalidEncoding }
                }
            }
            try fields.end()
        }
    }

    /// The certificates that came with it, in DER.
    package var certificates: [[UInt8]] { message.certificates }

    /// The values of its unsigned attributes of a type, each in BER; of more than two, two.
    func unsignedValues(of type: [UInt8]) throws(GOSTError) -> [[UInt8]] {
        try message.signers.first?.unsignedValues(of: type, limit: 2) ?? []
    }

    /// Verifies all of a reply's stamp: that it answers the request, and then as ``verify(imprint:trusting:usesOwn:further:now:)``.
    ///
    /// - Parameters:
    ///   - store: Whom one trusts; nil if no path to a trusted certificate is asked for.
    ///   - now: In seconds since 1970, when the reply has come.
    /// - Returns: The authority.
    /// - Throws: The reason why the stamp does not count.
    package func verify(
        answering request: TimeStampRequest, trusting store: TrustStore?, now: Int
    ) throws(TimeStampFault) -> StampAuthority {
        guard digest == request.digest else { throw .wrongImprint }
        guard nonce == request.nonce else { throw .wrongNonce }
        guard request.policy == nil || policy == request.policy else { throw .wrongPolicy }
        guard time.latest >= now - Self.age else { throw .past(time.seconds) }
        return try verify(imprint: request.imprint, trusting: store, now: now)
    }

    /// The number of seconds by which the clocks of authority and reader may differ, and the age of a reply.
    static let clockDifference = 300, age = 600

    /// Verifies that the authority has stamped some bytes, at a time that is not to come.
    ///
    /// The signature must be by the certificate that the signed attributes name (RFC 3161, 2.4.2; RFC 5816, 2.2.1), whose
    /// only purpose, and critical, is time stamps, and a path must lead from it to a trusted one at the time of the stamp.
    ///
    /// - Parameters:
    ///   - imprint: The digest of the bytes, by ``digest``.
    ///   - usesOwn: Whether the stamp's own certificates are used.
    ///   - further: Certificates in DER that help to find the way, beside these.
    ///   - now: In seconds since 1970.
    /// - Returns: The authority.
    /// - Throws: The reason why the stamp does not count.
    package func verify(
        imprint: [UInt8], trusting store: TrustStore?, usesOwn: Bool = true, further: [[UInt8]] = [], now: Int
    ) throws(TimeStampFault) -> StampAuthority {
        guard digest.resistsCollisions else { throw .weakAlgorithm }
        guard imprint == self.imprint else { throw .wrongImprint }
        guard time.seconds <= now + Self.clockDifference else { throw .future(time.seconds) }
        let certificate: [UInt8]?, path: PathOutcome?, signatureFault: SignerVerification.Fault?
        do throws(HostCryptoError) {
            let verification = try SignerVerification(
                message, trusting: store ?? TrustStore(trusted: []), usesMessage: usesOwn, further: further,
                purpose: .timeStamps, time: time.seconds, knownUntil: now)
            let content = message.content ?? []
            let digests = try ContentDigests(message.signers.map(\.digest))
            digests.update(content.span)
            let values = try digests.finalize()
            certificate = try verification.signers(of: values, digests.form)?.certificates.first
            signatureFault = verification.fault
            path = store == nil ? nil : try verification.paths().first
        } catch {
            throw .failure(error)
        }
        guard let certificate else { throw TimeStampFault(signatureFault) }
        guard let read = try? Certificate(der: certificate.span), (try? read.isForTimeStamps) == true else {
            throw .notForTimeStamps(certificate)
        }
        if let fault = path?.fault { throw .untrusted(fault) }
        return StampAuthority(certificate: certificate, evidence: path?.evidence)
    }
}

extension SignedData.Signer {
    /// Whether its signed attributes name its certificate, and readably.
    package var namesCertificate: Bool {
        [CMS.signingCertificate, CMS.signingCertificateV2].contains { type in
            (try? values(of: type))?.isEmpty == false
        }
    }
}
