// SPDX-License-Identifier: Apache-2.0
import APDU
import CCryptoki
import Cryptoki
import EmulatedTokens
import Emulator
import Testing

@Suite("Interruptions and interference", .serialized)
struct InterruptionTests {
    @Test(
        "a bit changed anywhere in a protected response is never taken for an answer",
        arguments: ChannelProfile.allCases)
    func changedResponses(_ profile: ChannelProfile) throws {
        let (reader, application, session) = try TokenKeyTests.start(.single(profile))
        let keys = try application.makeKeys(session)
        let digest = [UInt8](repeating: 1, count: 32)
        // Data object 87 with the signature, 99 with the status word, 8E with the tag, and the outer status word.
        let size = 3 + 64 + 4 + 10 + 2
        for bit in 0..<8 * size {
            reader.onResponse { _, instruction, response throws(LinkError) in
                guard instruction == 0x2A else { return response }
                var bytes = response.encoded
                #expect(bytes.count == size)
                bytes[bit / 8] ^= 1 << (bit % 8)
                guard let changed = Response(parsing: bytes) else { throw .malformed }
                return changed
            }
            #expect(throws: CKError.deviceError, "bit \(bit)") {
                try application.sign(session, keys.privateKey, digest, CKM_GOSTR3410)
            }
        }
        reader.onResponse(nil)
        _ = try application.sign(session, keys.privateKey, digest, CKM_GOSTR3410)
    }

    @Test("nothing leaves in plain for a token with a channel, whatever breaks when", arguments: 1...25)
    func neverPlain(_ broken: Int) throws {
        let (reader, application, session) = try TokenKeyTests.start(.bt)
        reader.onResponse { number, _, response throws(LinkError) in
            number == broken ? Response(.success, data: [0x99, 0x02, 0x90, 0x00]) : response
        }
        _ = try? application.makeKeys(session)
        _ = try? application.find(session)
        reader.onResponse(nil)
        _ = try application.makeKeys(session)
        #expect(reader.plainCommands.isEmpty)
    }

    @Test("a token that always says that more is to come is not asked for ever", arguments: [Identity.usb, .bt])
    func endlessAnswer(_ identity: Identity) throws {
        let reader = try EmulatedReader(identity)
        let application = Application(reader, store: Folder())
        reader.onResponse { number, _, _ throws(LinkError) in
            guard number < 5000 else { throw .removed(sent: true) }
            return Response(StatusWord(0x6110))
        }
        #expect(throws: CKError.deviceError) { try application.open() }
        #expect(reader.commands < 100)
    }

    @Test("a host that dies after any command of an activation can activate again", arguments: 1...6)
    func interruptedActivation(_ last: Int) throws {
        let reader = try EmulatedReader(.bt, passwords: [Application.password])
        let store = Folder()
        reader.onResponse { number, _, response throws(LinkError) in
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

    @Test(
        "an activation is told when the token has proved that it knows the host, and not before",
        arguments: ChannelProfile.allCases)
    func forgedOpening(_ profile: ChannelProfile) throws {
        let reader = try EmulatedReader(.single(profile), passwords: [Application.password])
        let application = Application(reader, store: Folder())
        // The token never sees the confirmation of the first opening.
        reader.onResponse { _, _, response in
            guard reader.openings == 1, let header = reader.headers.last, header[1] == 0x86 else { return response }
            if header[2] == 0x03 { reader.card.reset() }
            return header[2] == 0x04 ? Response(.success) : response
        }
        try application.activate()
        #expect(reader.openings == 2)

        reader.onResponse { _, _, response in
            reader.headers.last?.first == 0x0C ? Response(.success, data: [0x99, 0x02, 0x90, 0x00]) : response
        }
        #expect(throws: CKError.deviceError) { try application.activate() }
        reader.onResponse(nil)
        _ = try application.open()
    }

    @Test("a host that dies in the middle of a key generation leaves no half of a pair visible", arguments: 1...40)
    func interruptedGeneration(_ last: Int) throws {
        let (reader, application, session) = try TokenKeyTests.start(.usb)
        reader.onResponse { number, _, response throws(LinkError) in
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
