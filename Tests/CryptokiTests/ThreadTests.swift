import CCryptoki
import Cryptoki
import Emulator
import Foundation
import Testing

@Suite("Threads")
struct ThreadTests {
    @Test("R5: any number of threads work with sessions of their own at once", arguments: ["usb", "bt"])
    func sessions(_ identity: String) throws {
        let (_, application, session) = try TokenKeyTests.start(identity == "bt" ? .bt : .usb)
        let keys = try application.makeKeys(session)
        let digest = [UInt8](repeating: 1, count: 32)
        let failures = Failures()
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

/// Errors that threads met.
private final class Failures: @unchecked Sendable {
    private let lock = NSLock()
    private var errors: [any Error] = []

    func add(_ error: any Error) { lock.withLock { errors.append(error) } }
    var all: [any Error] { lock.withLock { errors } }
}
