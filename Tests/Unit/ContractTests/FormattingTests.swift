// SPDX-License-Identifier: Apache-2.0
import APDU
import GOST
import Secrets
import TestSupport
import Testing
import Token

extension Contract {
    @Suite("Formatting a token")
    struct FormattingTests {
        @Test(
            "both ways of formatting leave the label, the PINs and no object", arguments: Subject.disposable,
            [false, true])
        func ways(_ subject: Subject, restores: Bool) throws {
            let token = try subject.freshToken()
            try token.logIn(as: .user, pin: .of(Subject.userPIN))
            _ = try token.store(.data(label: [1], value: [2], isPrivate: false))
            #expect(try token.objects().data.count == 1)
            let format = Subject.format(policy: 0x01, label: "another", restoresFactoryState: restores)
            try token.format(format, pin: .of(Subject.securityOfficerPIN))
            let info = try token.info(evicting: true)
            #expect(info.label == Array("another".utf8) && info.user.changePolicy == 0x01)
            #expect(token.login == nil)
            try token.logIn(as: .user, pin: .of(Subject.userPIN))
            #expect(try token.objects() == [])
        }

        @Test("an emitent key takes memory and is no object", arguments: Subject.computing)
        func emitentKey(_ subject: Subject) throws {
            let token = try subject.freshToken()
            try token.format(Subject.format(restoresFactoryState: true), pin: .of(Subject.securityOfficerPIN))
            let free = try #require(token.info(evicting: true).freeMemory)
            for algorithm in [TokenFormat.EmitentKey.Algorithm.kuznyechik, .magma] {
                let key = TokenFormat.EmitentKey(algorithm, value: .of("Welcome to the hotel California!"))
                #expect(key != nil)
                let format = Subject.format(restoresFactoryState: true, emitentKey: key)
                try token.format(format, pin: .of(Subject.securityOfficerPIN))
                #expect(try #require(token.info(evicting: true).freeMemory) < free)
                try token.logIn(as: .user, pin: .of(Subject.userPIN))
                #expect(try token.objects() == [])
            }
            let short = TokenFormat.EmitentKey(.magma, value: Secret(count: 31))
            #expect(short == nil)
        }

        @Test("the journal tells the last GOST signature, and outlives formatting", arguments: Subject.computing)
        func journal(_ subject: Subject) throws {
            let token = try subject.freshToken()
            try token.logIn(as: .user, pin: .of(Subject.userPIN))
            let (_, key) = try token.generate(NewPair(.gost(GOSTKey(.cryptoProA)), label: [1], id: [2]))
            let digest = [UInt8](repeating: 7, count: 32)
            let signature = try token.sign(digest: digest, with: key)
            let journal = try #require(try token.journal())
            #expect(journal.count == 126)
            #expect(Array(journal[4..<36]) == digest)
            #expect(Array(journal[38..<102]) == signature.reversed())
            try token.format(Subject.format(), pin: .of(Subject.securityOfficerPIN))
            #expect(try token.journal() == journal)
        }
    }
}
