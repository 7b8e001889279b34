// SPDX-License-Identifier: Apache-2.0
import GOST
import HostCrypto
import TestSupport
import Testing

/// Signed messages as other programs encode them.
@Suite("Messages in BER")
struct BERMessageTests {
    private static let content = Array("the content of a message".utf8)
    /// In a ContentInfo: the SignedData, its hash functions, the content's type and place, and the content.
    private static let signedData = [1, 0]
    private static let contentString = [1, 0, 2, 1, 0]

    private let openssl: OpenSSL

    init() throws {
        openssl = try OpenSSL()
        _ = try openssl.makeCertificate("rsa:2048 -addext subjectKeyIdentifier=hash")
        try openssl.run("x509 -inform DER -in certificate -out ca.pem")
        try openssl.write(Self.content, "content")
    }

    private func signed(_ options: String) throws -> [UInt8] {
        try openssl.run(
            "cms -sign -binary -in content -signer ca.pem -inkey key -outform DER -out message \(options)")
        return try openssl.read("message")
    }

    /// The index of the signers, the last member of a SignedData.
    private func signers(_ tree: BERTree) -> [Int] { Self.signedData + [tree[Self.signedData].members.count - 1] }

    /// Whether a message, given to the reader in pieces, is good.
    private func isGood(_ message: [UInt8], piece: Int = .max) throws -> Bool {
        var reader = SignedDataReader()
        var content: [UInt8] = []
        for begin in stride(from: 0, to: message.count, by: min(piece, message.count)) {
            let end = min(begin + min(piece, message.count), message.count)
            content += try reader.read(Array(message[begin..<end])).flatMap { $0 }
        }
        let isAttached = reader.hasContent == true
        let read = try reader.finish()
        let certificate = try openssl.read("certificate")
        let verification = try SignerVerification(
            read, trusting: TrustStore(trusted: [certificate]), usesMessage: true, requiresOrder: true, time: 0)
        let digests = try ContentDigests(read.signers.map(\.digest))
        digests.update((isAttached ? content : Self.content).span)
        let values = try digests.finalize()
        return try verification.signers(of: values, digests.form) != nil && read.isInOrder
    }

    @Test(
        "All but the signed attributes and the certificates may have indefinite and long lengths",
        arguments: [true, false])
    func lengths(isAttached: Bool) throws {
        let tree = try #require(BERTree(signed(isAttached ? "-nodetach" : "")))
        for form in BERTree.Length.allCases {
            let message = tree.encoded { path, _ in
                let isCertificate = path.starts(with: Self.signedData + [3, 0])
                let member = path.starts(with: signers(tree)) && path.count >= 5 ? path[4] : 0
                // The issuer and the number of the signer's certificate, and the signed attributes.
                let isSignedDER = member == 1 && path.count >= 6 || member == 3
                return isCertificate || isSignedDER ? .definite : form
            }
            for piece in [1, 7, .max] { #expect(try isGood(message, piece: piece), "\(form)") }
            #expect(try SignedData(ber: message.span).content == (isAttached ? Self.content : nil))
        }
    }

    @Test(
        "A content in pieces may have them in elements of any length, sixteen deep", arguments: BERTree.Length.allCases)
    func pieces(form: BERTree.Length) throws {
        var tree = try #require(BERTree(signed("-nodetach")))
        var string = tree[Self.contentString].inPieces(of: 5)
        for depth in 1...17 {
            tree[Self.contentString] = string
            let message = tree.encoded { path, element in element.tag == 0x24 ? form : .definite }
            if depth <= 16 {
                for piece in [1, 3, .max] { #expect(try isGood(message, piece: piece)) }
            } else {
                #expect(throws: HostCryptoError.invalidEncoding) { try isGood(message) }
            }
            let inner = string
            string.members = [inner]
        }
    }

    @Test("A million empty pieces are read without being kept")
    func emptyPieces() throws {
        var tree = try #require(BERTree(signed("-nodetach")))
        var string = tree[Self.contentString].inPieces(of: 5)
        string.members += (0..<1_000_000).map { _ in
            var empty = string.members[0]
            empty.contents = []
            return empty
        }
        tree[Self.contentString] = string
        #expect(try isGood(tree.encoded { _, element in element.tag == 0x24 ? .indefinite : .definite }))
    }

    @Test("Signed attributes that are not DER are refused")
    func attributes() throws {
        let tree = try #require(BERTree(signed("-nodetach")))
        let attributes = signers(tree) + [0, 3]
        #expect(tree[attributes].tag == 0xA0)
        for form in [BERTree.Length.long, .indefinite] {
            let message = tree.encoded { path, _ in path == attributes ? form : .definite }
            #expect(throws: HostCryptoError.invalidEncoding) { try SignedData(ber: message.span) }
        }
    }

    @Test("A truncated message is refused at each byte, and so is anything but white space behind a message")
    func truncation() throws {
        let tree = try #require(BERTree(signed("-nodetach")))
        let message = tree.encoded { path, _ in path.count < 4 ? .indefinite : .definite }
        for count in message.indices {
            #expect(throws: HostCryptoError.invalidEncoding) {
                try SignedData(ber: message.span.extracting(first: count))
            }
        }
        #expect(try isGood(message + Array("\r\n \t".utf8)))
        for byte: UInt8 in [0, 0x30, 0x41] {
            #expect(throws: HostCryptoError.invalidEncoding) { try isGood(message + [byte]) }
        }
    }

    @Test("A signer may be named by the identifier of its key")
    func keyIdentifier() throws {
        let message = try signed("-nodetach -keyid")
        #expect(try isGood(message))
        let signer = try #require(try SignedData(ber: message.span).signers.first)
        guard case .keyIdentifier(let identifier) = signer.identifier else {
            Issue.record("the signer has a different name")
            return
        }
        // Another identifier names no certificate of the message.
        let place = try #require(message.lastRange(of: identifier))
        #expect(try !isGood(message.changed(at: place)))
    }

    @Test("A signature by RSASSA-PSS counts with the parameters beside it", arguments: [20, 32])
    func pss(saltLength: Int) throws {
        let options = "-nodetach -md sha256 -keyopt rsa_padding_mode:pss -keyopt rsa_pss_saltlen:\(saltLength)"
        let message = try signed(options)
        #expect(try isGood(message))
        #expect(try !isGood(message.changed(at: message.count - 1)))
    }
}

extension [UInt8] {
    /// The first index of the last place where these bytes are.
    fileprivate func lastRange(of bytes: [UInt8]) -> Int? {
        indices.last { self[$0...].starts(with: bytes) }
    }
}
