// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Cryptoki
import EmulatedTokens
import Emulator
import Foundation
import Testing
import Token

@Suite("Threads")
struct ThreadTests {
    @Test("R5: any number of threads work with sessions of their own at once", arguments: ["usb", "bt"])
    func sessions(_ identity: String) throws {
        let (_, application, session) = try TokenKeyTests.start(identity == "bt" ? .bt : .usb)
        let keys = try application.makeKeys(session)
        let digest = [UInt8](repeating: 1, count: 32)
        let failures = Met<any Error>()
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            do {
                for _ in 0..<5 {
                    let own = try application.open()
                    let signature = try application.sign(own, keys.privateKey, digest, CKM_GOSTR3410)
                    try application.verify(own, keys.publicKey, digest, signature, CKM_GOSTR3410)
                    _ = try application.find(own)
                    _ = try application.library.slots(tokenPresent: false, isQuery: false)
                    _ = try application.library.token(in: 0, evicting: false)
                    try application.library.closeSession(own)
                }
            } catch {
                failures.add(error)
            }
        }
        #expect(failures.all.isEmpty)
    }

    @Test("16 threads that sign with one key of a token on USB cost as many commands as one", arguments: [false, true])
    func commands(_ isSticky: Bool) throws {
        let (reader, application, session) = try TokenKeyTests.start(.usb, isUSB: true) { settings in
            if isSticky { settings.policy.plainLogin = .sticky }
        }
        let key = try application.makeKeys(session).privateKey
        _ = try application.find(session)
        // Sets the key.
        _ = try application.sign(session, key, Application.digest, CKM_GOSTR3410)
        for count in [1, 16] {
            let sessions = try (0..<count).map { _ in try application.open() }
            let (commands, transactions) = (reader.commands, reader.transactions)
            let failures = Met<any Error>()
            let threads = DispatchGroup()
            for own in sessions {
                threads.enter()
                Thread.detachNewThread {
                    defer { threads.leave() }
                    do {
                        for _ in 0..<5 {
                            _ = try application.sign(own, key, Application.digest, CKM_GOSTR3410)
                        }
                    } catch {
                        failures.add(error)
                    }
                }
            }
            threads.wait()
            #expect(failures.all.isEmpty)
            // The PIN, the digest, and the end of the right.
            #expect(reader.commands - commands == 5 * count * (isSticky ? 1 : 3))
            #expect(reader.transactions - transactions == 5 * count)
        }
    }

    @Test("a session that is opened while all are closed is closed with them, or works")
    func openingAndClosing() throws {
        let (_, application, _) = try TokenKeyTests.start(.usb)
        for _ in 0..<300 {
            let opened = Met<CK_SESSION_HANDLE>()
            DispatchQueue.concurrentPerform(iterations: 4) { thread in
                if thread == 3 {
                    try? application.library.closeAllSessions(with: 0)
                } else if let session = try? application.open() {
                    opened.add(session)
                }
            }
            let working = opened.all.filter { (try? application.library.sessionInfo($0)) != nil }
            #expect(try application.library.token(in: 0, evicting: false).sessionCount == working.count)
            for session in working { try application.library.closeSession(session) }
        }
    }

    @Test("R6: calls that meet the end of the library are refused, and nothing hangs or crashes")
    func finalization() throws {
        let (_, application, _) = try TokenKeyTests.start(.usb)
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for round in 0..<20 {
                if thread == 0, round == 10 { application.library.finalize() }
                guard let session = try? application.open() else { continue }
                _ = try? application.find(session)
                try? application.library.closeSession(session)
            }
        }
        #expect(throws: CKError.notInitialised) { try application.library.slots(tokenPresent: false, isQuery: false) }
        #expect(throws: CKError.notInitialised) { try application.open() }
    }
}

/// Results of threads.
private final class Met<Element>: @unchecked Sendable {
    private let lock = NSLock()
    private var elements: [Element] = []

    func add(_ element: Element) { lock.withLock { elements.append(element) } }
    var all: [Element] { lock.withLock { elements } }
}
