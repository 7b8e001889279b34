// SPDX-License-Identifier: Apache-2.0
import Foundation
import GOST
import HostCrypto
import TestSupport

/// The program as an authority for time stamps: `openssl ts`, and `openssl cms` for stamps that it would not make.
struct MadeTimeStamps {
    let chain: TrustStoreTests.Chain
    private let hash: String

    init(_ newKey: String = OpenSSL.p256) throws {
        chain = try TrustStoreTests.Chain(newKey)
        hash = !newKey.hasPrefix("gost") ? "sha256" : newKey.contains("512") ? "md_gost12_512" : "md_gost12_256"
        try chain.issue("tsa", by: "authority", "extendedKeyUsage=critical,timeStamping\nkeyUsage=digitalSignature")
        try configure()
    }

    /// - Parameter settings: Further lines of the authority's configuration.
    func configure(_ settings: String = "ess_cert_id_alg = sha256") throws {
        let further = "accuracy = secs:1, millisecs:500, microsecs:100\nclock_precision_digits = 3\n"
        try chain.openssl.configureStamps(hash, further + "ordering = yes\ntsa_name = yes\n" + settings)
    }

    static let nonce: [UInt8] = [0xFF, 2, 3, 4, 5, 6, 7, 8]

    func request(
        _ digest: DigestAlgorithm = .sha256, of text: String = "text", policy: String? = nil,
        nonce: [UInt8] = Self.nonce
    ) throws -> TimeStampRequest {
        let bytes = Array(text.utf8)
        return try TimeStampRequest(digest, Digest.digest(bytes.span, digest), policy: policy, nonce: nonce)
    }

    /// The reply of `openssl ts`.
    func reply(to request: TimeStampRequest) throws -> [UInt8] {
        try chain.openssl.stamp(request.der)
    }

    /// A reply whose stamp has another content, or another signer, than `openssl ts` gives it.
    func reply(
        to request: TimeStampRequest, by signer: String = "tsa", options: String = "-cades",
        type: String = "1.2.840.113549.1.9.16.1.4",
        changing change: (inout StampInfo) -> Void = { _ in }
    ) throws -> [UInt8] {
        var info = StampInfo(request)
        change(&info)
        try chain.openssl.write(info.der, "info")
        try chain.openssl.run(
            "cms -sign -in info -binary -nodetach -econtent_type \(type) -md \(hash) \(options)"
                + " -signer \(signer).pem -inkey \(signer).key -outform DER -out token")
        return DERTag.sequence.element(
            DERTag.sequence.element(DERTag.integer.element([info.status])) + (try chain.openssl.read("token")))
    }

    func store(_ change: (inout TrustStore) throws -> Void = { _ in }) throws -> TrustStore {
        var store = TrustStore(
            trusted: try chain.certificates(["root"]), certificates: try chain.certificates(["authority"]))
        try change(&store)
        return store
    }
}

/// A TSTInfo (RFC 3161, 2.4.2), and the status beside it.
struct StampInfo {
    var status: UInt8 = 0
    var version: UInt8 = 1
    var policy: [UInt8] = [0x06, 4, 0x2A, 3, 4, 1]
    /// The object identifier of the hash function: SHA-256.
    var algorithm: [UInt8] = [0x06, 9, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01]
    var digest: [UInt8]
    var time: String
    /// Elements behind the time.
    var rest: [UInt8]

    init(_ request: TimeStampRequest) {
        digest = request.imprint
        time = Self.text(Date())
        rest = DERTag.integer.element([0x7F] + MadeTimeStamps.nonce.dropFirst())
    }

    static func text(_ date: Date) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "yyyyMMddHHmmss'Z'"
        return formatter.string(from: date)
    }

    var der: [UInt8] {
        let algorithm = DERTag.sequence.element(algorithm + DERTag.null.element([]))
        let imprint = DERTag.sequence.element(algorithm + DERTag.octetString.element(digest))
        return DERTag.sequence.element(
            DERTag.integer.element([version]) + policy + imprint + DERTag.integer.element([7])
                + DERTag.generalizedTime.element(Array(time.utf8)) + rest)
    }
}
