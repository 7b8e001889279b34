// SPDX-License-Identifier: Apache-2.0
import APDU
import CCryptoki
import Cryptoki
import EmulatedTokens
import Emulator
import TestSupport
import Testing
import Token

/// A token with key pairs and a certificate for each, and an application that has not looked at it.
struct FullToken {
    static let pairs = 20

    let reader: EmulatedReader
    let application: Application
    let session: CK_SESSION_HANDLE
    /// The application that made the objects; User is logged in.
    let other: Application
    let otherSession: CK_SESSION_HANDLE

    /// A subject, and a value of the usual length with it and an issuer in it.
    static let subject = [UInt8].object(0x30, [UInt8](repeating: 0x53, count: 60))
    static func value(_ number: UInt8) -> [UInt8] {
        let names: [UInt8] = .object(0x02, [number]) + [0x30, 0x00] + .object(0x30, [0x49]) + [0x30, 0x00] + subject
        let body: [UInt8] = .object(0x30, names + [0x30, 0x00]) + .object(0x03, [UInt8](repeating: number, count: 900))
        return .object(0x30, body)
    }

    static func certificate(_ number: UInt8) -> ObjectTests.Template {
        [
            (CKA_CLASS, CKO_CERTIFICATE.bytes), (CKA_TOKEN, [1]), (CKA_ID, [number]), (CKA_SUBJECT, subject),
            (CKA_LABEL, Array("certificate".utf8)), (CKA_VALUE, value(number)),
        ]
    }

    init(_ identity: String, pairs: Int = Self.pairs, configure: (inout TokenSettings) -> Void = { _ in }) throws {
        let isProtected = identity == "bt"
        reader = try EmulatedReader(
            isProtected ? .bt : .usb, passwords: isProtected ? [Application.password] : [])
        func application(_ reader: EmulatedReader, _ configure: (inout TokenSettings) -> Void = { _ in }) throws
            -> (Application, CK_SESSION_HANDLE)
        {
            let application = Application(reader, store: Folder(), configure: configure)
            if isProtected { try application.activate() }
            return (application, try application.open())
        }
        (other, otherSession) = try application(reader)
        try other.logIn(otherSession)
        for number in 0..<pairs {
            _ = try other.makeKeys(otherSession)
            _ = try other.create(otherSession, Self.certificate(UInt8(number)))
        }
        (self.application, session) = try application(reader, configure)
    }

    /// Commands that `call` sends.
    func cost(_ call: () throws -> Void) throws -> Int {
        let before = reader.commands
        try call()
        return reader.commands - before
    }

    /// Expects a search of everything to find this number of objects by this number of commands.
    func expectSearch(_ expected: [Int], _ location: SourceLocation = #_sourceLocation) throws {
        var count = 0
        let commands = try cost { count = try search().count }
        #expect([count, commands] == expected, sourceLocation: location)
    }

    func search(_ template: ObjectTests.Template = []) throws -> [CK_OBJECT_HANDLE] {
        try application.find(session, template)
    }
}

@Suite("A token with many objects", .serialized)
struct FullTokenTests {
    @Test("searches leave values on the token; later ones cost what is new", arguments: ["usb", "bt"])
    func searches(_ identity: String) throws {
        let token = try FullToken(identity)
        let isPlain = identity == "usb"
        let pairs = FullToken.pairs
        // The serial number, the counter, two indexes, two that are not there; two for a public key, one for a private
        // one and one for a key file; two for a certificate.
        try token.expectSearch([2 * pairs, (isPlain ? 8 + 6 * pairs : 37)])
        try token.application.logIn(token.session)
        // PIN and end of the right, two for the directory of containers, and the private halves; in the channel up to three
        // of them in one reply.
        try token.expectSearch([3 * pairs, (isPlain ? 6 + 2 * pairs : 8)])
        _ = try token.application.makeKeys(token.session)
        try token.expectSearch([3 * pairs + 2, (isPlain ? 2 : 1)])
        try token.expectSearch([3 * pairs + 2, isPlain ? 2 : 1])
        // Records can change in place, so that all are read again.
        _ = try token.other.create(token.otherSession, StoredObjectTests.data)
        try token.expectSearch([3 * pairs + 3, (isPlain ? 12 + 7 * pairs + 8 : 41)])
    }

    @Test(
        "a token takes objects for all places of its index, however much of it a search has read",
        arguments: ["usb", "bt"])
    func allPlaces(_ identity: String) throws {
        let token = try FullToken(identity, pairs: 0)
        _ = try token.other.create(token.otherSession, StoredObjectTests.data)
        #expect(try token.search().count == 1)
        try token.application.logIn(token.session)
        for _ in 1..<100 { _ = try token.application.create(token.session, StoredObjectTests.data) }
        let found = try token.search()
        #expect(found.count == 100)
    }

    @Test(
        "the end of a login costs nothing, nor the next login but for what it makes visible", arguments: ["usb", "bt"])
    func logins(_ identity: String) throws {
        let token = try FullToken(identity, pairs: 3)
        let isPlain = identity == "usb"
        _ = try token.search()
        try token.application.logIn(token.session)
        _ = try token.search()
        _ = try token.application.makeKeys(token.session)
        try token.application.library.withSession(token.session) { session throws(CKError) in try session.logOut() }
        // The new key's file.
        try token.expectSearch([7, (isPlain ? 3 : 2)])
        try token.application.logIn(token.session)
        try token.expectSearch([11, (isPlain ? 6 + 8 : 3)])
    }

    @Test(
        "a value is read when it is asked for, once, and others with it where all are asked for",
        arguments: ["usb", "bt"])
    func values(_ identity: String) throws {
        let token = try FullToken(identity, pairs: 16)
        let certificates = try token.search([(CKA_CLASS, CKO_CERTIFICATE.bytes)])
        func attributes(_ handle: CK_OBJECT_HANDLE, _ types: [CK_ATTRIBUTE_TYPE]) throws -> Attributes {
            try token.application.library.withSession(token.session) { session throws(CKError) in
                try session.attributes(of: handle, types: types)
            }
        }
        let cheap = try token.cost { () throws in
            for handle in certificates {
                #expect(try attributes(handle, [CKA_SUBJECT])[CKA_SUBJECT] == FullToken.subject)
                #expect(try attributes(handle, [CKA_ID, CKA_LABEL, CKA_CLASS])[CKA_VALUE] == nil)
            }
        }
        #expect(cheap == 0)
        // The serial number and the counter, five times, because each time as many come as there are; the rest of each
        // file.
        let whole = try token.cost { () throws in
            for (number, handle) in certificates.enumerated() {
                let number = UInt8(number)
                let found = try attributes(handle, [CKA_VALUE, CKA_ISSUER, CKA_SERIAL_NUMBER])
                #expect(found[CKA_VALUE] == FullToken.value(number))
                #expect(found[CKA_ISSUER] == .object(0x30, [0x49]))
                #expect(found[CKA_SERIAL_NUMBER] == .object(0x02, [number]))
            }
        }
        #expect(whole == (identity == "usb" ? 5 * 2 + 16 * 5 : 5 + 16 * 5))
        let again = try token.cost { for handle in certificates { _ = try attributes(handle, [CKA_VALUE]) } }
        #expect(again == 0)
        #expect(try token.search([(CKA_CLASS, CKO_CERTIFICATE.bytes)]) == certificates)
    }

    @Test("a search by value, issuer or serial number finds what it found before", arguments: ["usb", "bt"])
    func templates(_ identity: String) throws {
        let token = try FullToken(identity, pairs: 3)
        let all = try token.search([(CKA_CLASS, CKO_CERTIFICATE.bytes)])
        #expect(try token.search([(CKA_SERIAL_NUMBER, .object(0x02, [2]))]) == [all[2]])
        #expect(try token.search([(CKA_VALUE, FullToken.value(1))]) == [all[1]])
        #expect(try token.search([(CKA_ISSUER, [UInt8].object(0x30, [0x49]))]) == all)
        #expect(try token.search([(CKA_ISSUER, [UInt8].object(0x30, [0x50]))]) == [])
    }

    @Test(
        "an unread certificate that another application deletes is no object any more; one that it changes is read anew"
    )
    func others() throws {
        let token = try FullToken("usb", pairs: 2)
        let found = try token.search([(CKA_CLASS, CKO_CERTIFICATE.bytes)])
        let theirs = try token.other.find(token.otherSession, [(CKA_CLASS, CKO_CERTIFICATE.bytes)])
        try token.other.library.withSession(token.otherSession) { session throws(CKError) in
            try session.destroyObject(theirs[0])
        }
        #expect(throws: CKError.objectHandleInvalid) {
            _ = try token.application.attributes(token.session, of: found[0])
        }
        #expect(try token.application.attributes(token.session, of: found[1])[CKA_VALUE] == FullToken.value(1))
        #expect(try token.search([(CKA_CLASS, CKO_CERTIFICATE.bytes)]) == [found[1]])
        #expect(try token.application.attributes(token.session, of: found[1])[CKA_VALUE] == FullToken.value(1))
    }

    @Test("a creation for which the token has no room leaves everything known", arguments: ["usb", "bt"])
    func refusal(_ identity: String) throws {
        let token = try FullToken(identity, pairs: 2)
        try token.application.logIn(token.session)
        var count = try token.search().count
        let large: ObjectTests.Template = [
            (CKA_CLASS, CKO_DATA.bytes), (CKA_TOKEN, [1]), (CKA_VALUE, [UInt8](repeating: 1, count: 32_000)),
        ]
        #expect(throws: CKError.deviceMemory) {
            while true {
                _ = try token.application.create(token.session, large)
                count += 1
            }
        }
        #expect(count > 6)
        try token.expectSearch([count, identity == "usb" ? 2 : 1])
    }
}
