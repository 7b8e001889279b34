// SPDX-License-Identifier: Apache-2.0
import Asking
import CCryptoki
import Cryptoki
import EmulatedTokens
import Emulator
import Testing

@Suite("An activation that the user is asked for")
struct AskedActivationTests {
    let reader: EmulatedReader
    let application: Application
    let user = StandInUser()

    init() throws {
        reader = try EmulatedReader(.bt, passwords: [Application.password])
        application = Application(
            reader, store: Folder(), interaction: user.interaction(asksForActivation: true))
    }

    @Test("a session with a new token opens after the password, which may be wrong once")
    func opens() throws {
        user.answer(.text("1BCD-EFGH-JKLM-NPQS"), .text(Application.password))
        let session = try application.open()
        try application.logIn(session)
        #expect(user.questions.count == 2)
        #expect(user.questions[0].text.contains(EmulatedReader.name))
        #expect(user.questions[0].error == nil)
        #expect(user.questions[1].error == "The password is wrong.")
        // The token is known now.
        _ = try application.open()
        #expect(user.questions.count == 2)
    }

    @Test("any other end answers as if nobody had been asked, once, until the token leaves", arguments: 0..<4)
    func refused(_ index: Int) throws {
        user.answer(.no(AskedPINTests.ends[index].0))
        for _ in 0..<3 {
            #expect(throws: CKError.functionNotSupported) { try application.open() }
        }
        #expect(user.questions.count == 1)
        reader.removeCard()
        reader.insertCard()
        user.answer(.text(Application.password))
        _ = try application.open()
        #expect(user.questions.count == 2)
    }

    @Test("a password without tries left answers as if nobody had been asked")
    func locked() throws {
        for _ in 0..<20 { user.answer(.text("1BCD-EFGH-JKLM-NPQS")) }
        #expect(throws: CKError.functionNotSupported) { try application.open() }
        let count = user.questions.count
        #expect((4...6).contains(count))
        #expect(throws: CKError.functionNotSupported) { try application.open() }
        #expect(user.questions.count == count)
    }

    @Test("a token without a channel, and one whose channel is active, are asked nothing")
    func others() throws {
        let plain = Application(
            try EmulatedReader(.usb), store: Folder(), interaction: user.interaction(asksForActivation: true))
        _ = try plain.open()
        try application.activate()
        _ = try application.open()
        #expect(user.questions.isEmpty)
    }

    @Test("without the setting nobody is asked")
    func off() throws {
        let application = Application(reader, store: Folder(), interaction: user.interaction())
        #expect(throws: CKError.functionNotSupported) { try application.open() }
        #expect(user.questions.isEmpty)
    }
}
