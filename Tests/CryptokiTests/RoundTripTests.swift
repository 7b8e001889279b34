import CCryptoki
import Cryptoki
import Emulator
import Testing
import Token

@Suite("What is asked of the card")
struct RoundTripTests {
    @Test("while the change counter stands still, information and searches cost one command", arguments: ["usb", "bt"])
    func cached(_ identity: String) throws {
        let (reader, application, session) = try TokenKeyTests.start(identity == "bt" ? .bt : .usb)
        _ = try application.makeKeys(session)
        let calls: [() throws -> Void] = [
            { _ = try application.library.token(in: 0, evicting: false) },
            { _ = try application.find(session) },
        ]
        for call in calls {
            try call()
            let before = reader.commands
            try call()
            #expect(reader.commands == before + 1)
        }
    }

    @Test("a key that another application makes is seen by the next search")
    func changes() throws {
        let (reader, application, session) = try TokenKeyTests.start(.usb)
        #expect(try application.find(session).isEmpty)
        let other = Application(reader, store: Folder())
        let otherSession = try other.open()
        try other.logIn(otherSession)
        _ = try other.makeKeys(otherSession)
        #expect(try application.find(session).count == 2)
    }
}
