// SPDX-License-Identifier: Apache-2.0
import APDU
import Asking
import CCryptoki
import Cryptoki
import EmulatedTokens
import Emulator
import Secrets
import TestSupport
import Testing
import Token
import Tokens

@Suite("PINs that the user types at the reader")
struct PINPadTests {
    let user = StandInUser()

    private func start(
        _ identity: Identity = .usb, _ pad: PINPad? = PINPad(), configure: (inout TokenSettings) -> Void = { _ in }
    ) throws -> (EmulatedReader, Application, CK_SESSION_HANDLE) {
        let passwords = identity.name == Identity.bt.name ? [Application.password] : []
        let reader = try EmulatedReader(identity, passwords: passwords, pinPad: pad)
        let application = Application(
            reader, store: Folder(), interaction: user.interaction(), configure: configure)
        if !passwords.isEmpty { try application.activate() }
        return (reader, application, try application.open())
    }

    private func tries(_ application: Application) throws -> Int {
        try application.library.token(in: 0, evicting: false).info.user.triesLeft
    }

    /// The card's reply to another process that signs with key 1.
    private func foreignSignature(_ reader: EmulatedReader) -> [UInt8] {
        _ = reader.card.process([0x00, 0x22, 0x41, 0xB6, 0x03, 0x84, 0x01, 0x01])
        return Array(reader.card.process([0x00, 0x2A, 0x9E, 0x9A, 0x20] + Application.digest + [0x40]).suffix(2))
    }

    @Test("a login without a PIN has it typed at the reader: the PIN never crosses the link, and a message says it")
    func login() throws {
        let (reader, application, session) = try start()
        #expect(try application.library.token(in: 0, evicting: false).hasPINPad)
        reader.type(.pin(Application.userPIN))
        try application.library.logIn(session, as: CKU_USER, pin: nil)
        #expect(try application.library.sessionInfo(session).state == CKS_RW_USER_FUNCTIONS)
        #expect(reader.entries == [PINEntry(0x00, 0x20, 0x00, 0x02, .present(6...15))])
        #expect(!reader.sent.contains { $0[1] == 0x20 })
        #expect(user.questions.isEmpty)
        let message = try #require(user.messages.first)
        for part in [EmulatedReader.name, "log in", "Tries left: 10", "Type the PIN at the reader."] {
            #expect(message.text.contains(part), "\(part)")
        }
        #expect(try application.makeKeys(session).privateKey != 0)
    }

    @Test("a PIN that the program gives is taken with a PIN pad, too")
    func given() throws {
        let (reader, application, session) = try start()
        try application.logIn(session)
        #expect(reader.entries.isEmpty)
        try application.library.withSession(session) { session throws(CKError) in try session.logOut() }
        reader.type(.pin("87654321"))
        try application.library.logIn(session, as: CKU_SO, pin: nil)
        #expect(try application.library.sessionInfo(session).state == CKS_RW_SO_FUNCTIONS)
    }

    @Test("a wrong PIN spends one try and is not asked for again; without tries nothing is typed")
    func wrong() throws {
        let (reader, application, session) = try start()
        for left in (0..<10).reversed() {
            reader.type(.pin("99999999"), .pin(Application.userPIN))
            #expect(throws: CKError.pinIncorrect) { try application.library.logIn(session, as: CKU_USER, pin: nil) }
            #expect(!reader.isAllTyped)
            #expect(try tries(application) == left)
        }
        #expect(throws: CKError(CKR_PIN_LOCKED)) { try application.library.logIn(session, as: CKU_USER, pin: nil) }
        #expect(reader.entries.count == 10)
    }

    static let refusals: [(PINEntry.Refusal, CK_RV)] = [
        (.cancelled, CKR_FUNCTION_CANCELED), (.timedOut, CKR_FUNCTION_CANCELED), (.length, CKR_PIN_LEN_RANGE),
        (.unsupported, CKR_DEVICE_ERROR), (.mismatch, CKR_PIN_INVALID),
    ]

    @Test("each end of an entry without a PIN has its return value, and costs no try", arguments: 0..<5)
    func refused(_ index: Int) throws {
        let (reader, application, session) = try start()
        reader.type(.refusal(Self.refusals[index].0))
        #expect(throws: CKError(Self.refusals[index].1)) {
            try application.library.logIn(session, as: CKU_USER, pin: nil)
        }
        #expect(try application.library.sessionInfo(session).state == CKS_RW_PUBLIC_SESSION)
        #expect(try tries(application) == 10)
    }

    @Test("the login stays on the card between calls, and ends with C_Logout or a reset, which asks for nothing")
    func retention() throws {
        let (reader, application, session) = try start()
        reader.type(.pin(Application.userPIN))
        try application.library.logIn(session, as: CKU_USER, pin: nil)
        _ = try application.makeKeys(session)
        #expect(foreignSignature(reader) == [0x90, 0x00])
        try application.library.withSession(session) { session throws(CKError) in try session.logOut() }
        #expect(foreignSignature(reader) == [0x69, 0x82])

        reader.type(.pin(Application.userPIN))
        try application.library.logIn(session, as: CKU_USER, pin: nil)
        let key = try #require(try application.find(session, [(CKA_CLASS, CKO_PRIVATE_KEY.bytes)]).first)
        reader.resetCard()
        #expect(throws: CKError.self) { try application.sign(session, key, Application.digest, CKM_GOSTR3410) }
        #expect(try application.library.sessionInfo(session).state == CKS_RW_PUBLIC_SESSION)
        #expect(reader.entries.count == 2)
        #expect(try tries(application) == 10)
        // A PIN of the program is kept again.
        try application.logIn(session)
        reader.resetCard()
        let found = try application.find(session, [(CKA_CLASS, CKO_PRIVATE_KEY.bytes)])
        _ = try application.sign(session, try #require(found.first), Application.digest, CKM_GOSTR3410)
    }

    @Test("the PIN is checked though another process holds the right")
    func heldRight() throws {
        let (reader, application, session) = try start()
        let pin = Array(Application.userPIN.utf8)
        _ = reader.card.process([0x00, 0x20, 0x00, 0x02, UInt8(pin.count)] + pin)
        reader.type(.pin("99999999"))
        #expect(throws: CKError.pinIncorrect) { try application.library.logIn(session, as: CKU_USER, pin: nil) }
        #expect(try tries(application) == 9)
    }

    @Test("a new PIN is typed behind the present one, and both ways of typing it must be the same")
    func change() throws {
        let (reader, application, session) = try start()
        try application.logIn(session)
        _ = try application.makeKeys(session)
        try application.library.withSession(session) { session throws(CKError) in try session.logOut() }
        let before = reader.sent.count
        reader.type(.pin(Application.userPIN), .new("24681357", "24681358"))
        #expect(throws: CKError(CKR_PIN_INVALID)) { try application.library.setPIN(session, old: nil, new: nil) }
        reader.type(.pin(Application.userPIN), .new("24681357", "24681357"))
        try application.library.setPIN(session, old: nil, new: nil)
        #expect(reader.isAllTyped)
        #expect(
            reader.entries.last
                == PINEntry(0x00, 0x24, 0x01, 0x02, .new(count: 8, after: [0x80, 0x02, 0x00, 8, 0xA6, 8])))
        #expect(!reader.sent[before...].contains { [0x20, 0x24].contains($0[1]) })
        #expect(user.messages.last?.text.contains("of 8 digits") == true)
        #expect(foreignSignature(reader) == [0x69, 0x82])
        try application.logIn(session, "24681357")
    }

    @Test(
        "a new PIN in a login by the program's PIN: the login goes on without a PIN, and spends no try with the old one"
    )
    func changeInLogin() throws {
        let (reader, application, session) = try start()
        try application.logIn(session)
        let key = try application.makeKeys(session).privateKey
        reader.type(.new("24681357", "24681357"))
        let old = SharedSecret(copying: Array(Application.userPIN.utf8))
        try application.library.setPIN(session, old: old, new: nil)
        _ = try application.sign(session, key, Application.digest, CKM_GOSTR3410)
        #expect(foreignSignature(reader) == [0x90, 0x00])
        reader.resetCard()
        #expect(throws: CKError.self) { try application.sign(session, key, Application.digest, CKM_GOSTR3410) }
        #expect(try tries(application) == 10)
        try application.logIn(session, "24681357")
    }

    /// A session with a token whose SO may set User's PIN.
    private func startResettable() throws -> (EmulatedReader, Application, CK_SESSION_HANDLE) {
        let (reader, application, _) = try start()
        try application.library.closeAllSessions(with: 0)
        let format = TokenFormat(
            securityOfficer: .init(value: .of("87654321")), user: .init(value: .of(Application.userPIN)),
            changePolicy: 3, label: [], isRepair: false)
        try application.library.initToken(in: 0, pin: .of("87654321"), format: format, mode: 0)
        return (reader, application, try application.open())
    }

    @Test("the SO has User's new PIN typed")
    func initialPIN() throws {
        let (reader, application, session) = try startResettable()
        reader.type(.pin("87654321"), .new("24681357", "24681357"))
        try application.library.logIn(session, as: CKU_SO, pin: nil)
        try application.library.initPIN(session, to: nil)
        try application.library.withSession(session) { session throws(CKError) in try session.logOut() }
        try application.logIn(session, "24681357")
    }

    @Test(
        "a locked PIN stays locked when the SO's new one is not typed, or is too short, and is unlocked by the new one")
    func initialPINOfLocked() throws {
        let (reader, application, session) = try startResettable()
        for _ in 0..<10 {
            #expect(throws: CKError.pinIncorrect) { try application.logIn(session, "99999999") }
        }
        reader.type(.pin("87654321"))
        try application.library.logIn(session, as: CKU_SO, pin: nil)
        for refusal: PINEntry.Refusal in [.cancelled, .timedOut, .mismatch] {
            reader.type(.refusal(refusal))
            #expect(throws: CKError.self) { try application.library.initPIN(session, to: nil) }
            #expect(try tries(application) == 0)
        }
        let short = SharedSecret(copying: Array("12345".utf8))
        #expect(throws: CKError(CKR_PIN_LEN_RANGE)) { try application.library.initPIN(session, to: short) }
        #expect(try tries(application) == 0)
        reader.type(.new("24681357", "24681357"))
        try application.library.initPIN(session, to: nil)
        #expect(try tries(application) == 10)
    }

    @Test("a file that answers for the user is read, and nothing is typed")
    func file() throws {
        let reader = try EmulatedReader(.usb, pinPad: PINPad())
        let application = Application(reader, store: Folder(), interaction: user.interaction(asksUser: false))
        user.answer(.text(Application.userPIN))
        try application.library.logIn(try application.open(), as: CKU_USER, pin: nil)
        #expect(reader.entries.isEmpty)
    }

    @Test("the lengths are the token's and the reader's; where they have none in common, nothing is typed")
    func lengths() throws {
        for (pad, lengths, digits) in [
            (PINPad(shortest: 4, longest: 12), 6...12, 8), (PINPad(shortest: 10, longest: 12), 10...12, 10),
            (PINPad(shortest: 4, longest: 7), 6...7, 7), (PINPad(longest: 5), nil, nil),
        ] as [(PINPad, ClosedRange<Int>?, Int?)] {
            let (reader, application, session) = try start(.usb, pad)
            let isLong = lengths == 10...12
            reader.type(.pin(isLong ? "1234567890" : Application.userPIN))
            let result = Result { try application.library.setPIN(session, old: nil, new: nil) }
            #expect(throws: CKError.self) { try result.get() }
            #expect(reader.entries.first?.pin == lengths.map { .present($0) })
            if let digits { #expect(user.messages.last?.text.contains("of \(digits) digits") == true) }
        }
    }

    @Test("neither in a secure channel nor with pin_pad = off is a reader's PIN pad used", arguments: [true, false])
    func unused(_ isProtected: Bool) throws {
        let (reader, application, session) = try start(isProtected ? .bt : .usb) {
            $0.policy.usesPINPads = isProtected
        }
        #expect(try !application.library.token(in: 0, evicting: false).hasPINPad)
        user.answer(.text(Application.userPIN))
        try application.library.logIn(session, as: CKU_USER, pin: nil)
        #expect(user.questions.count == 1)
        #expect(reader.entries.isEmpty)
    }

    @Test("the PIN of a key that wants it each time is typed each time")
    func confirmation() throws {
        let (reader, application, session) = try start()
        reader.type(.pin(Application.userPIN), .pin(Application.userPIN), .pin("99999999"))
        try application.library.logIn(session, as: CKU_USER, pin: nil)
        let attributes = try Attributes(template: [
            (CKA_TOKEN, [1]), (CKA_ID, [1]), (CKA_PRIVATE, [1]), (CKA_ALWAYS_AUTHENTICATE, [1]),
        ])
        let publicAttributes = try Attributes(template: [(CKA_TOKEN, [1]), (CKA_ID, [1])])
        let key = try application.library.withSession(session) { session throws(CKError) in
            try session.generateKeyPair(
                Mechanism(type: CKM_GOSTR3410_KEY_PAIR_GEN, parameter: []), publicTemplate: publicAttributes,
                privateTemplate: attributes
            ).1
        }
        func begin() throws {
            try application.library.withSession(session) { session throws(CKError) in
                try session.signInit(Mechanism(type: CKM_GOSTR3410, parameter: []), key: key)
            }
        }
        try begin()
        try application.library.logIn(session, as: CKU_CONTEXT_SPECIFIC, pin: nil)
        _ = try application.library.withSession(session, during: CKF_SIGN) { session throws(CKError) in
            let digest = Application.digest
            return try session.sign(digest.span)
        }
        try begin()
        #expect(throws: CKError.pinIncorrect) {
            try application.library.logIn(session, as: CKU_CONTEXT_SPECIFIC, pin: nil)
        }
        #expect(try application.library.sessionInfo(session).state == CKS_RW_PUBLIC_SESSION)
    }
}
