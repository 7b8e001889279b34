// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Cryptoki
import EmulatedTokens
import Emulator
import Foundation
import Secrets

/// Sixteen threads that call the library at random for a time, while the card comes and goes. The calls' results do not
/// matter; the sanitizers report faults.
struct Threads: Sendable {
    let reader: EmulatedReader
    let application: Application
    let end: Date

    init(_ identity: Identity, isChannel: Bool, seconds: Double) throws {
        reader = try EmulatedReader(identity, passwords: isChannel ? [Application.password] : [])
        application = Application(reader, store: Folder())
        if isChannel { try application.activate() }
        end = Date(timeIntervalSinceNow: seconds)
    }

    /// Works until the time is over, and returns the number of its calls.
    func work(_ thread: Int) -> Int {
        var calls = 0
        var session: CK_SESSION_HANDLE = 0
        while Date() < end {
            calls += 1
            do { try call(Int.random(in: 0..<24), thread, &session) } catch {}
        }
        return calls
    }

    private func call(_ action: Int, _ thread: Int, _ session: inout CK_SESSION_HANDLE) throws {
        let library = application.library
        switch action {
        case 0...2: session = try application.open()
        case 3: try library.closeSession(session)
        case 4...6: try application.logIn(session)
        case 7 where thread % 4 == 0:
            try library.withSession(session) { session throws(CKError) in try session.logOut() }
        case 8 where thread == 0: try library.closeAllSessions(with: 0)
        case 9: _ = try library.slots(tokenPresent: Bool.random(), isQuery: Bool.random())
        case 10: _ = try library.token(in: 0, evicting: false)
        case 11: _ = try library.mechanisms(of: 0)
        case 12: _ = try library.sessionInfo(session)
        case 13: _ = try library.waitForSlotEvent(waits: false)
        case 14 where thread == 1:
            reader.removeCard()
            usleep(1000)
            reader.insertCard()
        case 15 where thread == 2: reader.resetCard()
        case 16: try digest(session)
        case 17: _ = try application.makeKeys(session, onToken: thread % 8 == 3)
        default: try use(session)
        }
    }

    private func digest(_ session: CK_SESSION_HANDLE) throws {
        try application.library.withSession(session) { session throws(CKError) in
            session.cancel(~0)
            try session.digestInit(Mechanism(type: CKM_GOSTR3411_12_256, parameter: []))
            try session.digestUpdate([UInt8](repeating: 7, count: 100).span)
            _ = try session.digestFinal()
        }
    }

    /// Signs with a private key that is found, verifies with a public one, and removes one of many.
    private func use(_ session: CK_SESSION_HANDLE) throws {
        let digest = [UInt8](repeating: 1, count: 32)
        let keys = try application.find(session, [(CKA_CLASS, CKO_PRIVATE_KEY.bytes)])
        guard let key = keys.randomElement() else { return }
        let signature = try application.sign(session, key, digest, CKM_GOSTR3410)
        let others = try application.find(session, [(CKA_CLASS, CKO_PUBLIC_KEY.bytes)])
        if let other = others.randomElement() {
            try? application.verify(session, other, digest, signature, CKM_GOSTR3410)
        }
        guard keys.count + others.count > 8 else { return }
        for object in (keys + others).shuffled().prefix(4) {
            try application.library.withSession(session) { session throws(CKError) in
                try session.destroyObject(object)
            }
        }
    }
}

@main
enum Main {
    static func main() throws {
        let seconds = CommandLine.arguments.dropFirst().first.flatMap(Double.init) ?? 10
        for (name, identity) in [("usb", Identity.usb), ("bt", Identity.bt)] {
            let threads = try Threads(identity, isChannel: name == "bt", seconds: seconds / 2)
            let results = Results()
            DispatchQueue.concurrentPerform(iterations: 16) { results.add(threads.work($0)) }
            threads.application.library.finalize()
            print("\(name): 16 threads made \(results.sum) calls")
        }
    }
}

/// The threads' results, together.
final class Results: @unchecked Sendable {
    private let lock = NSLock()
    private(set) var sum = 0

    func add(_ count: Int) { lock.withLock { sum += count } }
}
