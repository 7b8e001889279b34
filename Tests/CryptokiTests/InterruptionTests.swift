import APDU
import CCryptoki
import Cryptoki
import Emulator
import Testing

@Suite("Interruptions and interference", .serialized)
struct InterruptionTests {
    @Test("a bit changed anywhere in a protected response is never taken for an answer")
    func changedResponses() throws {
        let (reader, application, session) = try TokenKeyTests.start(.bt)
        let keys = try application.makeKeys(session)
        let digest = [UInt8](repeating: 1, count: 32)
        // The response to the signature, the third command of the call, has 98 bytes in all.
        for bit in 0..<(8 * 98) {
            reader.onResponse { number, response throws(LinkError) in
                guard number == 3 else { return response }
                var bytes = response.encoded
                guard bit < 8 * bytes.count else { return response }
                bytes[bit / 8] ^= 1 << (bit % 8)
                guard let changed = Response(parsing: bytes) else { throw .malformed }
                return changed
            }
            #expect(throws: CKError.self) {
                let signature = try application.sign(session, keys.privateKey, digest, CKM_GOSTR3410)
                // What came through must at least be what the token said.
                try application.verify(session, keys.publicKey, digest, signature, CKM_GOSTR3410)
                Issue.record("a response with bit \(bit) changed was accepted")
            }
            reader.onResponse(nil)
        }
        _ = try application.sign(session, keys.privateKey, digest, CKM_GOSTR3410)
    }

    @Test("a host that dies after any command of an activation can activate again", arguments: 1...6)
    func interruptedActivation(_ last: Int) throws {
        let reader = try EmulatedReader(.bt, passwords: [Application.password])
        let store = Folder()
        reader.onResponse { number, response throws(LinkError) in
            guard number < last else { throw .removed(sent: true) }
            return response
        }
        let interrupted = Application(reader, store: store)
        _ = try? interrupted.activate()
        reader.onResponse(nil)
        reader.resetCard()
        let application = Application(reader, store: store)
        if (try? application.open()) == nil { try application.activate() }
        _ = try application.open()
    }

    @Test("a host that dies in the middle of a key generation leaves no half of a pair visible", arguments: 1...40)
    func interruptedGeneration(_ last: Int) throws {
        let (reader, application, session) = try TokenKeyTests.start(.usb)
        reader.onResponse { number, response throws(LinkError) in
            guard number < last else { throw .removed(sent: true) }
            return response
        }
        _ = try? application.makeKeys(session)
        reader.onResponse(nil)
        reader.resetCard()
        let next = Application(reader, store: Folder())
        let nextSession = try next.open()
        try next.logIn(nextSession)
        #expect(try [0, 2].contains(next.find(nextSession).count))
        let keys = try next.makeKeys(nextSession)
        _ = try next.sign(nextSession, keys.privateKey, [UInt8](repeating: 1, count: 32), CKM_GOSTR3410)
    }
}
