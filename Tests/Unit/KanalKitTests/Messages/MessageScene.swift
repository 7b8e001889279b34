// SPDX-License-Identifier: Apache-2.0
import EmulatedTokens
import Emulator
import Foundation
import KanalKit
import Locking
import TestSupport
import Testing

/// A token with a key and its certificate, which an authority of the program's has issued.
struct MessageScene {
    let machine: Machine
    let token: KanalKit.Token
    let openssl: OpenSSL
    let certificate: TokenCertificate
    let authority: [UInt8]

    /// The program's name for a new key of each kind, and the hash function that goes with it.
    static let kinds: [(kind: KeyKind, newKey: String, digest: String)] = [
        (.gost256, "gost2012_256 -pkeyopt paramset:A", "md_gost12_256"),
        (.gost512, "gost2012_512 -pkeyopt paramset:A", "md_gost12_512"),
        (.rsa(bits: 2048), "rsa:2048", "sha256"),
        (.p256, OpenSSL.p256, "sha256"),
    ]

    /// - Parameter agrees: Whether the key may agree on secrets.
    init(_ kind: KeyKind, agrees: Bool = false) async throws {
        machine = try Machine(.usb)
        token = try await machine.token()
        openssl = try OpenSSL()
        authority = try openssl.makeAuthority("ca")
        let request = try await token.perform(pin: Machine.pin) { session in
            let pair = try session.generateKeyPair(kind, id: [1], label: "key", canAgree: agrees)
            return try session.certificationRequest(for: pair, subject: [RequestField("CN", "Signer")])
        }
        try openssl.write(request, "request")
        try openssl.run(
            "x509 -req -in request -inform DER -CA ca.pem -CAkey ca.key -set_serial 2 -out signer.pem -days 30")
        try openssl.run("x509 -in signer.pem -outform DER -out signer")
        let value = try openssl.read("signer")
        certificate = try await token.perform { session in
            try session.importCertificate(value, id: [1], label: "certificate")
        }
    }

    var verifier: MessageVerifier { MessageVerifier(trusting: [authority]) }

    /// Signs a content that comes in pieces of this length.
    func sign(
        _ content: [UInt8], pieces: Int = 1000, length: Int? = nil, isDetached: Bool = false,
        progress: Recorder = Recorder()
    ) async throws -> [UInt8] {
        let message = Lock<[UInt8]>([])
        try await token.signMessage(
            of: .pieces(of: content, pieces, length: length, progress), by: certificate, isDetached: isDetached
        ) { bytes in message.withLock { $0 += bytes } }
        return message.withLock { $0 }
    }

    /// Lets the program verify the file "message", and expects this content.
    func expectVerified(_ message: [UInt8], _ content: [UInt8], isDetached: Bool) throws {
        try openssl.write(message, "message")
        try openssl.write(content, "content")
        try openssl.run(
            "cms -verify -cades -binary -inform DER -CAfile ca.pem -purpose any -in message -out output"
                + (isDetached ? " -content content" : ""))
        if !isDetached { #expect(try openssl.read("output") == content) }
    }
}

extension OpenSSL {
    /// Makes an authority, in the files NAME.pem and NAME.key.
    ///
    /// - Returns: Its certificate in DER.
    func makeAuthority(_ name: String) throws -> [UInt8] {
        try run(
            "req -x509 -newkey gost2012_256 -pkeyopt paramset:A -nodes -keyout \(name).key -out \(name).pem"
                + " -subj /CN=\(name) -days 30 -addext basicConstraints=CA:true")
        try run("x509 -in \(name).pem -outform DER -out \(name)")
        return try read(name)
    }

    /// Makes a key and its certificate by the authority "ca", in the files theirs.key and theirs.pem.
    ///
    /// - Returns: The certificate in DER.
    func makeSigner(_ newKey: String) throws -> [UInt8] {
        try run("req -newkey \(newKey) -nodes -keyout theirs.key -out theirs.request -subj /CN=Theirs")
        try run("x509 -req -in theirs.request -CA ca.pem -CAkey ca.key -set_serial 3 -out theirs.pem -days 30")
        try run("x509 -in theirs.pem -outform DER -out theirs")
        return try read("theirs")
    }

    /// The program's message, signed with theirs.key and more options.
    func sign(_ content: [UInt8], _ options: String) throws -> [UInt8] {
        try write(content, "content")
        try run(
            "cms -sign -binary -in content -signer theirs.pem -inkey theirs.key -outform DER -out message \(options)")
        return try read("message")
    }
}

/// How far the work was each time that it said so.
final class Recorder: Sendable {
    private let steps = Lock<[(done: Int, total: Int?)]>([])

    func record(_ done: Int, _ total: Int?) { steps.withLock { $0.append((done, total)) } }

    var count: Int { steps.withLock { $0.count } }

    /// Whether it grew all the time, and ended with all bytes.
    func isComplete(_ total: Int, isKnown: Bool = true) -> Bool {
        steps.withLock { steps in
            steps.last?.done == total && steps.allSatisfy { $0.total == (isKnown ? total : nil) }
                && zip(steps, steps.dropFirst()).allSatisfy { $0.done < $1.done }
        }
    }
}

extension ByteSource {
    /// These bytes, in pieces.
    ///
    /// - Parameter length: The length that the source announces; nil if it announces none.
    static func pieces(
        of bytes: [UInt8], _ size: Int, length: Int? = nil, _ progress: Recorder = Recorder()
    ) -> ByteSource {
        let rest = Lock(bytes[...])
        return ByteSource(length: length, progress: progress.record) {
            rest.withLock { rest in
                guard !rest.isEmpty else { return nil }
                defer { rest = rest.dropFirst(size) }
                return Array(rest.prefix(size))
            }
        }
    }
}

/// The fault that `work` throws; nil if it succeeds.
func fault(_ work: () async throws -> Void) async -> MessageFault? {
    do {
        try await work()
        return nil
    } catch KanalError.messageRefused(let fault) {
        return fault
    } catch {
        Issue.record(error)
        return nil
    }
}
