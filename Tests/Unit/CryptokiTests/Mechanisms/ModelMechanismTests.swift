// SPDX-License-Identifier: Apache-2.0
import APDU
import CCryptoki
import Cryptoki
import EmulatedTokens
import Emulator
import Testing

@Suite("The mechanisms of each model")
struct ModelMechanismTests {
    private static let curves: Set<CK_MECHANISM_TYPE> = [
        CKM_EC_KEY_PAIR_GEN, CKM_ECDSA, CKM_ECDSA_SHA1, CKM_ECDSA_SHA224, CKM_ECDSA_SHA256, CKM_ECDSA_SHA384,
        CKM_ECDSA_SHA512, CKM_ECDH1_DERIVE,
    ]

    /// A token that does not say that it is emulated, as real ones do not.
    private static func real(_ identity: Identity) throws -> EmulatedReader {
        let reader = try EmulatedReader(identity)
        reader.onResponse { _, _, response in
            response.data == Array("RTEMU".utf8) ? Response(.referencedDataNotFound) : response
        }
        return reader
    }

    /// The errors of all functions that take a mechanism.
    private static func errors(
        _ application: Application, _ session: CK_SESSION_HANDLE, _ type: CK_MECHANISM_TYPE
    ) throws -> [CKError?] {
        let mechanism = Mechanism(type: type, parameter: [])
        var errors: [CKError?] = []
        for number in 0..<8 {
            do {
                try application.library.withSession(session) { session throws(CKError) in
                    switch number {
                    case 0: try session.digestInit(mechanism)
                    case 1: try session.signInit(mechanism, key: 1)
                    case 2: try session.verifyInit(mechanism, key: 1)
                    case 3: try session.encryptInit(mechanism, key: 1)
                    case 4: try session.decryptInit(mechanism, key: 1)
                    case 5: _ = try session.generateKey(mechanism, template: Attributes())
                    case 6: _ = try session.deriveKey(mechanism, from: 1, template: Attributes())
                    default:
                        _ = try session.generateKeyPair(
                            mechanism, publicTemplate: Attributes(), privateTemplate: Attributes())
                    }
                }
                errors.append(nil)
            } catch {
                errors.append(error)
            }
        }
        return errors
    }

    @Test("a Lite without containers lists none, and refuses every one with its reason, once it was looked for them")
    func lite() throws {
        let reader = try EmulatedReader(.lite)
        let application = Application(reader, store: Folder())
        let library = application.library
        #expect(try library.mechanisms(of: 0).isEmpty)
        #expect(reader.commands <= 6)
        let session = try application.open()
        try application.logIn(session)
        _ = try library.mechanisms(of: 0)
        _ = try Self.errors(application, session, CKM_GOSTR3410)
        let before = reader.commands
        for type in MechanismDefinition.types {
            #expect(throws: CKError(CKR_MECHANISM_INVALID)) { try library.information(on: type, in: 0) }
            let errors = try Self.errors(application, session, type)
            #expect(errors.allSatisfy { $0 == CKError(CKR_MECHANISM_INVALID) }, "\(type)")
        }
        #expect(reader.commands == before)
    }

    @Test("an ECP 2.0 lists RSA to 2048 bits and no ECDSA, and computes no more than that")
    func secondGeneration() throws {
        let reader = try Self.real(.ecp2)
        let application = Application(reader, store: Folder())
        let library = application.library
        let third = Application(try EmulatedReader(.usb), store: Folder()).library
        let all = try third.mechanisms(of: 0)
        #expect(try library.mechanisms(of: 0) == all.filter { !Self.curves.contains($0) })
        for type in all where !Self.curves.contains(type) {
            let (sizes, flags) = try third.information(on: type, in: 0)
            let own = try library.information(on: type, in: 0)
            #expect(own.flags == flags)
            #expect(own.keySizes == (sizes.upperBound == 4096 ? sizes.lowerBound...2048 : sizes))
        }
        let session = try application.open()
        try application.logIn(session)
        for type in Self.curves {
            #expect(throws: CKError(CKR_MECHANISM_INVALID)) { try library.information(on: type, in: 0) }
            #expect(try Self.errors(application, session, type).allSatisfy { $0 == CKError(CKR_MECHANISM_INVALID) })
        }
    }

    @Test("an emulated ECP 2.0 says that it is one, and keeps the ECDSA that it has")
    func emulated() throws {
        let reader = try EmulatedReader(.ecp2)
        let library = Application(reader, store: Folder()).library
        #expect(try Self.curves.isSubset(of: library.mechanisms(of: 0)))
        #expect(try library.information(on: CKM_RSA_PKCS, in: 0).keySizes == 512...2048)
        let before = reader.commands
        _ = try library.mechanisms(of: 0)
        #expect(reader.commands == before, "asked once for each time that it is put in")
    }

    @Test("a token whose firmware nobody has described lists what an ECP 3.0 does")
    func unknownFirmware() throws {
        let reader = try EmulatedReader(.ecp2)
        reader.onResponse { _, instruction, response in
            guard instruction == 0x71, response.data.count > 12 else { return response }
            var data = response.data
            // The firmware's version: Card, 5.2.
            data[9] = 99
            return Response(response.status, data: data)
        }
        let library = Application(reader, store: Folder()).library
        let third = Application(try EmulatedReader(.usb), store: Folder()).library
        #expect(try library.mechanisms(of: 0) == third.mechanisms(of: 0))
    }

    @Test("with an open session the list costs no command, but for a Lite and a token of the second generation")
    func commands() throws {
        for (identity, cost) in [(Identity.usb, 0), (.lite, 2), (.ecp2, 1)] {
            let reader = try EmulatedReader(identity, isUSB: true)
            let application = Application(reader, store: Folder())
            _ = try application.open()
            let before = reader.commands
            for _ in 0..<3 { _ = try application.library.mechanisms(of: 0) }
            #expect(reader.commands - before == cost, "\(identity.name)")
        }
    }
}
