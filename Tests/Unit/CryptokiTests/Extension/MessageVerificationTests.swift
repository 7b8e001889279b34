// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Cryptoki
import Emulator
import Foundation
import Locking
import TestSupport
import Testing

@Suite("Verification of signed messages", .usesGOSTEngine, .serialized)
struct MessageVerificationTests {
    private static let newKey = "gost2012_256 -pkeyopt paramset:A -nodes"
    private static let content = Array("the content".utf8)

    /// Messages that the program has signed, with a certificate that an authority of the program's has issued.
    private struct Scene {
        let openssl: OpenSSL
        let application: Application
        let session: CK_SESSION_HANDLE
        let authority, signer, attached, detached: [UInt8]

        init() throws {
            (_, application, session) = try TokenKeyTests.start(.usb)
            openssl = try OpenSSL()
            try openssl.run(
                "req -x509 -newkey \(newKey) -keyout ca.key -out ca.pem -subj /CN=Authority -days 30"
                    + " -addext basicConstraints=CA:true")
            try openssl.run("req -newkey \(newKey) -keyout key -out request -subj /CN=Signer")
            try openssl.run("x509 -req -in request -CA ca.pem -CAkey ca.key -set_serial 2 -out signer.pem -days 30")
            for name in ["ca", "signer"] { try openssl.run("x509 -in \(name).pem -outform DER -out \(name)") }
            (authority, signer) = (try openssl.read("ca"), try openssl.read("signer"))
            try openssl.write(content, "content")
            let sign = "cms -sign -binary -in content -signer signer.pem -inkey key -md md_gost12_256 -outform DER"
            try openssl.run("\(sign) -nodetach -out attached")
            try openssl.run("\(sign) -out detached")
            (attached, detached) = (try openssl.read("attached"), try openssl.read("detached"))
        }

        func start(
            _ message: [UInt8], trusted: [[UInt8]] = [], certificates: [[UInt8]] = [], lists: [[UInt8]] = [],
            mode: CK_ULONG = OPTIONAL_CRL_CHECK, flags: CK_FLAGS = 0
        ) throws {
            let store = MessageStore(trusted: trusted, certificates: certificates, revocationLists: lists)
            try application.library.verifyMessageInit(
                session, message, trusting: store, mode: mode, flags: flags,
                time: Int(Date().timeIntervalSince1970) + 60)
        }

        func verify() throws -> VerifiedMessage {
            try application.library.verifyMessage(session)
        }

        func update(_ data: [UInt8]) throws {
            try application.library.verifyMessageUpdate(session, data.span)
        }

        func final() throws -> VerifiedMessage {
            try application.library.verifyMessageFinal(session)
        }
    }

    @Test("messages of other programs are verified: in BER, signers named by their key, RSA-PSS")
    func otherPrograms() throws {
        let (_, application, session) = try TokenKeyTests.start(.usb)
        let content = try OtherProgramFile.bytes("content")
        var count = 0
        for file in OtherProgramFile.all("message") {
            let message = try file.bytes()
            // The function takes no text.
            guard message.first == 0x30 else { continue }
            let store = MessageStore(
                trusted: [try OtherProgramFile.bytes(file.with)], certificates: [], revocationLists: [])
            try application.library.verifyMessageInit(
                session, message, trusting: store, mode: OPTIONAL_CRL_CHECK, flags: 0,
                time: Int(Date().timeIntervalSince1970) + 60)
            let isDetached = file.name.hasSuffix(".p7s")
            if isDetached { try application.library.verifyMessageUpdate(session, content.span) }
            let verified =
                try isDetached
                ? application.library.verifyMessageFinal(session) : application.library.verifyMessage(session)
            #expect(verified.isTrusted && verified.signers.count == 1, "\(file)")
            #expect(isDetached || verified.content == content, "\(file)")
            count += 1
        }
        #expect(count >= 17)
    }

    @Test("a message brings its content and its signers, trusted if a path leads from them to the store")
    func attached() throws {
        let scene = try Scene()
        for (trusted, isTrusted) in [([scene.authority], true), ([], false), ([scene.signer], false)] {
            try scene.start(scene.attached, trusted: trusted)
            let message = try scene.verify()
            #expect(message.content == Self.content)
            #expect(message.signers == [scene.signer])
            #expect(message.isTrusted == isTrusted)
        }
        try scene.start(scene.attached, trusted: [scene.signer], flags: CKF_VENDOR_ALLOW_PARTIAL_CHAINS)
        #expect(try scene.verify().isTrusted)
        try scene.start(scene.attached, trusted: [scene.authority], mode: LEAF_CRL_CHECK)
        #expect(try !scene.verify().isTrusted)
    }

    @Test("the content of a detached message comes in parts, and each byte of it counts")
    func detached() throws {
        let scene = try Scene()
        try scene.start(scene.detached, trusted: [scene.authority])
        for byte in Self.content { try scene.update([byte]) }
        let message = try scene.final()
        #expect(message.signers == [scene.signer] && message.isTrusted && message.content.isEmpty)
        let others: [[UInt8]] = [Self.content + [0], Self.content.dropLast(), []]
        for wrong in others {
            try scene.start(scene.detached, trusted: [scene.authority])
            try scene.update(wrong)
            #expect(throws: CKError.signatureInvalid) { try scene.final() }
            #expect(throws: CKError.operationNotInitialised) { try scene.final() }
        }
    }

    @Test("what is changed in a message or its signature makes it invalid")
    func changes() throws {
        let scene = try Scene()
        let place = try #require(scene.attached.firstRange(of: Self.content)).lowerBound
        for place in [place, scene.attached.count - 1] {
            var changed = scene.attached
            changed[place] ^= 1
            try scene.start(changed, trusted: [scene.authority])
            #expect(throws: CKError.signatureInvalid) { try scene.verify() }
            #expect(throws: CKError.operationNotInitialised) { try scene.verify() }
        }
    }

    @Test("the certificates in the message can be left out, and then the store has to have the signer's")
    func internalCertificates() throws {
        let scene = try Scene()
        let flags = CKF_VENDOR_DO_NOT_USE_INTERNAL_CMS_CERTS
        try scene.start(scene.attached, trusted: [scene.authority], flags: flags)
        #expect(throws: CKError.signatureInvalid) { try scene.verify() }
        try scene.start(scene.attached, trusted: [scene.authority], certificates: [scene.signer], flags: flags)
        #expect(try scene.verify().isTrusted)
    }

    @Test("where the signature alone is checked, only the signers that the application knows are told")
    func signatureOnly() throws {
        let scene = try Scene()
        let flags = CKF_VENDOR_CHECK_SIGNATURE_ONLY
        for (trusted, count) in [([], 0), ([scene.signer], 1)] {
            try scene.start(scene.attached, trusted: trusted, flags: flags)
            let message = try scene.verify()
            #expect(message.isTrusted && message.signers.count == count && message.content == Self.content)
        }
        var changed = scene.attached
        changed[changed.count - 1] ^= 1
        try scene.start(changed, flags: flags)
        #expect(throws: CKError.signatureInvalid) { try scene.verify() }
    }

    @Test(
        "a content type other than data has to be signed with attributes, and certificates for other purposes sign none"
    )
    func rules() throws {
        let scene = try Scene()
        let sign = "cms -sign -binary -in content -inkey key -md md_gost12_256 -outform DER -nodetach -out other"
        try scene.openssl.run("\(sign) -signer signer.pem -econtent_type 1.2.3.4")
        try scene.start(scene.openssl.read("other"), trusted: [scene.authority])
        #expect(try scene.verify().isTrusted)
        try scene.openssl.run("\(sign) -signer signer.pem -econtent_type 1.2.3.4 -noattr")
        try scene.start(scene.openssl.read("other"), trusted: [scene.authority])
        #expect(throws: CKError.signatureInvalid) { try scene.verify() }

        try scene.openssl.write(Array("extendedKeyUsage=critical,timeStamping".utf8), "extensions")
        try scene.openssl.run(
            "x509 -req -in request -CA ca.pem -CAkey ca.key -set_serial 3 -out stamps.pem -days 30"
                + " -extfile extensions")
        try scene.openssl.run("\(sign) -signer stamps.pem")
        try scene.start(scene.openssl.read("other"), trusted: [scene.authority])
        let message = try scene.verify()
        #expect(!message.isTrusted && message.signers.count == 1 && message.content == Self.content)
        try scene.start(scene.openssl.read("other"), flags: CKF_VENDOR_CHECK_SIGNATURE_ONLY)
        #expect(try scene.verify().isTrusted)
    }

    @Test("a message that names its signer's certificate is not verified with another one of the same key")
    func namedSigner() throws {
        let scene = try Scene()
        try scene.openssl.run("x509 -req -in request -CA ca.pem -CAkey ca.key -set_serial 2 -outform DER -out twin")
        let twin = try scene.openssl.read("twin")
        for (option, isBound) in [("-cades", true), ("", false)] {
            try scene.openssl.run(
                "cms -sign -binary -in content -inkey key -md md_gost12_256 -outform DER -nodetach -nocerts -out other"
                    + " -signer signer.pem \(option)")
            let message = try scene.openssl.read("other")
            try scene.start(message, trusted: [scene.authority], certificates: [scene.signer])
            #expect(try scene.verify().isTrusted)
            try scene.start(message, trusted: [scene.authority], certificates: [twin])
            if isBound {
                #expect(throws: CKError.signatureInvalid) { try scene.verify() }
            } else {
                #expect(try scene.verify().signers == [twin])
            }
            try scene.start(message, trusted: [scene.authority], certificates: [twin, scene.signer])
            #expect(try scene.verify().signers == [isBound ? scene.signer : twin])
        }
    }

    @Test("bytes behind a certificate of the store are ignored, and the signer is told without them")
    func tails() throws {
        let scene = try Scene()
        try scene.start(scene.attached, trusted: [scene.authority + [0]])
        #expect(try scene.verify().isTrusted)
        let flags = CKF_VENDOR_CHECK_SIGNATURE_ONLY
        try scene.start(scene.attached, certificates: [scene.signer + [0x0D, 0x0A]], flags: flags)
        #expect(try scene.verify().signers == [scene.signer])
    }

    @Test("other sessions with the token do not wait while a message is verified")
    func others() throws {
        let scene = try Scene()
        try scene.start(scene.detached, trusted: [scene.authority])
        let other = try scene.application.open()
        let data = [UInt8](repeating: 1, count: 1 << 26)
        let (library, session, clock) = (scene.application.library, scene.session, ContinuousClock())
        let verified = Lock<Range<ContinuousClock.Instant>?>(nil)
        Thread.detachNewThread {
            let start = clock.now
            try? library.verifyMessageUpdate(session, data.span)
            let end = clock.now
            verified.withLock { $0 = start..<end }
        }
        var answers: [ContinuousClock.Instant] = []
        while verified.withLock({ $0 == nil }) {
            _ = try library.sessionInfo(other)
            answers.append(clock.now)
        }
        let range = try #require(verified.withLock { $0 })
        let quarter = (range.upperBound - range.lowerBound) / 4
        // Before the update begins and after it ends the slot is free for everybody.
        #expect(answers.contains { range.lowerBound + quarter < $0 && $0 < range.upperBound - quarter })
    }

    @Test("flags that do not go together, what cannot be read, and calls out of order are refused")
    func refusals() throws {
        let scene = try Scene()
        for (mode, flags) in [
            (LEAF_CRL_CHECK, CKF_VENDOR_CHECK_SIGNATURE_ONLY), (3, 0), (0, 0x10), (0, CK_FLAGS.max),
            (0, CKF_VENDOR_CHECK_SIGNATURE_ONLY | CKF_VENDOR_ALLOW_PARTIAL_CHAINS),
            (0, CKF_VENDOR_USE_TRUSTED_CERTS_FROM_TOKEN),
        ] as [(CK_ULONG, CK_FLAGS)] {
            #expect(throws: CKError.argumentsBad) {
                try scene.start(scene.attached, trusted: [scene.authority], mode: mode, flags: flags)
            }
        }
        #expect(throws: CKError.argumentsBad) { try scene.start(scene.attached, trusted: [[1]]) }
        #expect(throws: CKError.argumentsBad) { try scene.start(scene.attached, certificates: [[]]) }
        #expect(throws: CKError.argumentsBad) { try scene.start(scene.attached, lists: [scene.authority]) }
        for message in [[], Self.content, Array(scene.attached.dropLast()), scene.authority] {
            #expect(throws: CKError.dataInvalid) { try scene.start(message) }
        }
        #expect(throws: CKError.operationNotInitialised) { try scene.verify() }
        #expect(throws: CKError.operationNotInitialised) { try scene.update([1]) }
        #expect(throws: CKError.operationNotInitialised) { try scene.final() }

        // No certificate of a new token is marked as trusted.
        try scene.start(scene.attached, flags: CKF_VENDOR_USE_TRUSTED_CERTS_FROM_TOKEN)
        #expect(throws: CKError.operationActive) { try scene.start(scene.attached) }
        #expect(throws: CKError.operationNotInitialised) { try scene.update([1]) }
        #expect(throws: CKError.operationNotInitialised) { try scene.final() }
        #expect(try !scene.verify().isTrusted)
        try scene.start(scene.detached)
        #expect(throws: CKError.operationNotInitialised) { try scene.verify() }
        #expect(throws: CKError.signatureInvalid) { try scene.final() }
    }
}
