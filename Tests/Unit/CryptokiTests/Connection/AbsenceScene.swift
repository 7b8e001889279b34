// SPDX-License-Identifier: Apache-2.0
import APDU
import CCryptoki
import Cryptoki
import EmulatedTokens
import TestSupport
import Testing
import Tokens

/// An application that is logged in to a token with a key pair. The token comes and goes as the test says, and so does
/// the time.
protocol AbsenceScene {
    var reader: EmulatedReader { get }
    var application: Application { get }
    var session: CK_SESSION_HANDLE { get }
    var key: CK_OBJECT_HANDLE { get }
    var journal: Journal { get }
    var time: TestTime { get }
}

extension AbsenceScene {
    static var verify: UInt8 { 0x20 }

    func sign() throws { _ = try application.sign(session, key, Application.digest, CKM_GOSTR3410) }

    var state: CK_STATE { get throws { try application.library.sessionInfo(session).state } }
    var verifications: Int { reader.count(of: Self.verify) }
    var presence: TokenPresence { get throws { try application.library.presence(in: 0) } }

    /// Takes the token away for a number of seconds.
    func leave(_ seconds: Int) {
        reader.removeCard()
        time.after(.seconds(seconds)) { [reader] in reader.insertCard() }
    }

    /// Takes the token away for two seconds before the first answer that `isLast` chooses by the number and the
    /// instruction of its command: the answer is lost.
    func leave(at isLast: @escaping @Sendable (_ number: Int, _ instruction: UInt8) -> Bool) {
        reader.onResponse { [reader, time] number, instruction, response throws(LinkError) in
            guard isLast(number, instruction) else { return response }
            reader.onResponse(nil)
            reader.removeCard()
            time.after(.seconds(2)) { [reader] in reader.insertCard() }
            throw .transmission(code: 1)
        }
    }

    /// The session goes on with the token that is back.
    func expectReturn() throws {
        #expect(try presence == .completed)
        #expect(try state == CKS_RW_USER_FUNCTIONS)
        #expect(journal.messages.filter { ["waiting for token", "completed"].contains($0) }.count == 2)
    }

    /// A search goes on after the return, whichever of its commands the removal cuts short.
    func expectSearchesGoOn() throws {
        for command in 1...6 {
            leave { number, _ in number == command }
            #expect(try application.find(session).count == 2, "command \(command)")
        }
    }

    /// A signature whose command the removal cuts short is not repeated; the next call waits and goes on.
    func expectNoSecondSignature(_ instruction: UInt8) throws {
        let before = reader.count(of: instruction)
        leave { $1 == instruction }
        #expect(throws: CKError.deviceRemoved) { try sign() }
        #expect(reader.count(of: instruction) == before + 1)
        try sign()
    }
}
