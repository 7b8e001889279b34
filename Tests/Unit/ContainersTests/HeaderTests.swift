// SPDX-License-Identifier: Apache-2.0
import Containers
import GOST
import Secrets
import TestSupport
import Testing

@Suite("The header of a container")
struct HeaderTests {
    @Test(
        "The first 16 bytes give the length, and the last four are the code",
        arguments: ContainerVectors.good.keys.sorted())
    func length(_ name: String) throws {
        let file = try ContainerFiles(#require(ContainerVectors.good[name]))[.header]
        let header = try ContainerHeader(file: file.span)
        #expect(try ContainerHeader.length(from: Array(file.prefix(16)).span) == header.length)
        #expect(header.length <= file.count)
        #expect(Array(file[..<header.length].suffix(4)) == header.code)
    }

    @Test("A beginning that is none, and a length that no file has, are refused")
    func beginnings() throws {
        func length(_ bytes: [UInt8]) throws(ContainerError) -> Int { try ContainerHeader.length(from: bytes.span) }
        #expect(throws: ContainerError.missing(.header)) { try length([]) }
        for bytes in [
            [0x30], [0x30, 0x80, 0, 0], [0x31, 0x01, 0], [0x30, 0x81, 0x7F], [0x30, 0x82, 0],
            [0x30, 0x85, 1, 0, 0, 0, 0],
            [UInt8](repeating: 0xFF, count: 16), [UInt8](repeating: 0, count: 16),
        ] {
            #expect(throws: ContainerError.damaged(.header, .encoding)) { try length(bytes) }
        }
        for bytes in [[0x30, 0x83, 1, 0, 0], [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF], [0x30, 0x82, 0xFF, 0xFD]]
            as [[UInt8]]
        {
            #expect(throws: ContainerError.damaged(.header, .length)) { try length(bytes) }
        }
        #expect(try length([0x30, 0x82, 0xFF, 0xFC]) == 65536)
    }

    @Test("Elements that are not known are passed over")
    func unknown() throws {
        var files = try base()
        let more: [UInt8] = [0x16, 1, 0x41, 0xAD, 2, 5, 0, 2, 1, 3, 0x30, 2, 5, 0, 0x87, 1, 7]
        try files.seal(files.headerContents + more)
        #expect(try files.header().keys == base().header().keys)
        #expect(throws: Never.self) { try files.openFirst() }
    }

    @Test("An element that is there twice is damage")
    func twice() throws {
        let key = try #require(base().header().keys.first)
        let again: [[UInt8]] = [
            [0x8A, 8] + key.fingerprint, [0x82, 4, 0, 0, 0, 0],
            DERTag.contextPrimitive5.element(try #require(key.certificate)),
        ]
        for element in again {
            var files = try base()
            try files.seal(files.headerContents + element)
            #expect(throws: ContainerError.damaged(.header, .encoding)) { try files.openFirst() }
        }
    }

    @Test("A header without a fingerprint, or with one of another length, is damage")
    func fingerprints() throws {
        let fingerprint = try #require(base().header().keys.first?.fingerprint)
        for other in [[], [0x8A, 7] + fingerprint.prefix(7), [0x8A, 0], [0x8B, 8] + fingerprint] as [[UInt8]] {
            var files = try base()
            try files.replaceInHeader([0x8A, 8] + fingerprint, with: other)
            #expect(throws: ContainerError.damaged(.header, .encoding)) { try files.openFirst() }
        }
    }

    @Test("Keys that are in the card, or shared with it, are not supported; a password's flag needs its code")
    func flags() throws {
        for (flags, error) in [
            ([3, 2, 5, 0x60], ContainerError.unsupported(.keyInCard)), ([3, 2, 4, 0x50], .unsupported(.sharedKey)),
            ([3, 2, 5, 0xC0], .passwordNeeded), ([3, 0], .damaged(.header, .encoding)),
            ([3, 1, 1], .damaged(.header, .encoding)), ([3, 2, 8, 0x40], .damaged(.header, .encoding)),
        ] as [([UInt8], ContainerError)] {
            var files = try base()
            try files.replaceInHeader([3, 2, 6, 0x40], with: flags)
            #expect(throws: error) { try files.openFirst() }
        }
        var files = try base()
        try files.replaceInHeader([3, 2, 6, 0x40], with: [3, 2, 6, 0xC0])
        try files.replaceInHeader([0x82, 4, 0, 0, 0, 0], with: [])
        #expect(throws: ContainerError.damaged(.header, .encoding)) { try files.openFirst() }
    }

    @Test("The period is the role's own; a time of another form counts as none")
    func periods() throws {
        #expect(try base().header().keys.first?.period?.end == "20351231235959Z")
        #expect(try base().header().keys.first?.period?.begin == nil)
        let end: [UInt8] = [0x81, 15] + Array("20351231235959Z".utf8)
        for (other, expected) in [
            ([0x80, 15] + Array("20240102030405Z".utf8) + end, ("20240102030405Z", "20351231235959Z")),
            ([0x81, 13] + Array("351231235959Z".utf8), (nil, nil)),
            ([0x81, 15] + Array("2035/2/1 3:5:9Z".utf8), (nil, nil)),
        ] as [([UInt8], (String?, String?))] {
            var files = try base()
            let extensions = DERTag.sequence.element(other)
            let name: [UInt8] = [0x06, 0x08, 0x2A, 0x85, 0x03, 0x02, 0x02, 0x25, 0x03, 0x0A]
            let old = DERTag.context12.element(
                DERTag.sequence.element(name + DERTag.octetString.element(DERTag.sequence.element(end))))
            let new = DERTag.context12.element(
                DERTag.sequence.element(name + DERTag.octetString.element(extensions)))
            try files.replaceInHeader(old, with: new)
            let period = try #require(files.header().keys.first?.period)
            #expect(period.begin == expected.0)
            #expect(period.end == expected.1)
        }
    }

    @Test("The code of a long header of 2001 is right with key meshing and without; of 2012 only without")
    func meshing() throws {
        let more = DERTag.context3.element(DERTag.octetString.element([UInt8](repeating: 7, count: 1500)))
        for (name, algorithm, isAccepted) in [
            ("2001-signature", PublicKeyAlgorithm.gostR34102001, true), ("256-plain", .gostR34102012256, false),
        ] {
            for meshing in [false, true] {
                var files = ContainerFiles(try #require(ContainerVectors.good[name]))
                try files.seal(files.headerContents + more, algorithm, meshing: meshing)
                if isAccepted || !meshing {
                    #expect(throws: Never.self) { try files.openFirst() }
                } else {
                    #expect(throws: ContainerError.headerCode) { try files.openFirst() }
                }
            }
        }
    }

    private func base() throws -> ContainerFiles { ContainerFiles(try #require(ContainerVectors.good["256-plain"])) }
}
