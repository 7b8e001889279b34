// SPDX-License-Identifier: Apache-2.0
import Containers
import GOST
import Secrets
import TestSupport
import Testing

@Suite("Damaged containers: refused, or the same key, never another")
struct DamageTests {
    private static let names = ["256-plain", "two-plain", "2001-signature", "512-c", "card-one"]

    @Test("Each byte of each file is changed", arguments: names)
    func bytes(_ name: String) throws {
        let vector = try #require(ContainerVectors.good[name])
        let files = ContainerFiles(vector)
        for file in [ContainerFile.header, .masks, .primary] {
            for index in files[file].indices {
                for change: UInt8 in [0x01, 0x20, 0x80, 0xFF] {
                    var changed = files
                    changed[file][index] ^= change
                    expectNoOther(changed, vector, "\(file), \(index)")
                }
            }
        }
    }

    @Test("Each byte of the header is changed, and its code is right", arguments: names)
    func header(_ name: String) throws {
        let vector = try #require(ContainerVectors.good[name])
        let files = ContainerFiles(vector)
        let contents = try files.headerContents
        let algorithm = try #require(files.header().keys.first?.algorithm)
        for index in contents.indices {
            for change: UInt8 in [0x01, 0x20, 0x80] {
                var changed = files
                var other = contents
                other[index] ^= change
                try changed.seal(other, algorithm)
                expectNoOther(changed, vector, "\(index)")
            }
        }
    }

    @Test("Sizes lie: each of the first bytes has each value", arguments: ["256-plain", "two-512"])
    func sizes(_ name: String) throws {
        let vector = try #require(ContainerVectors.good[name])
        let files = ContainerFiles(vector)
        for file in [ContainerFile.header, .masks, .primary] {
            for index in 0..<8 {
                for value: UInt8 in 0...0xFF {
                    var changed = files
                    changed[file][index] = value
                    expectNoOther(changed, vector, "\(file), \(index)")
                }
            }
        }
    }

    @Test("A file that is cut is refused, and so is one with bytes behind it that are no filling")
    func lengths() throws {
        let vector = try #require(ContainerVectors.good["two-plain"])
        let files = ContainerFiles(vector)
        for file in [ContainerFile.header, .masks, .primary] {
            for count in files[file].indices {
                var changed = files
                changed[file] = Array(files[file].prefix(count))
                let isWhole = count >= (file == .header ? 4 : 2)
                let damage = ContainerError.damaged(file, isWhole ? .length : .encoding)
                #expect(throws: count == 0 ? .missing(file) : damage) { try changed.openFirst() }
            }
            for filling in [[0xFF, 0xFF, 0xFF], [0, 0]] as [[UInt8]] {
                var filled = files
                filled[file] += filling
                expectNoOther(filled, vector, "filling")
                #expect(throws: Never.self) { try filled.openFirst() }
            }
            for filling in [[0xFF, 0], [0, 0xFF], [0x30, 0], [1]] as [[UInt8]] {
                var filled = files
                filled[file] += filling
                #expect(throws: ContainerError.damaged(file, .filling)) { try filled.openFirst() }
            }
            var long = files
            long[file] += [UInt8](repeating: 0xFF, count: ContainerFile.largestSize)
            #expect(throws: ContainerError.damaged(file, .length)) { try long.openFirst() }
        }
    }

    @Test("Damage of a container with a password is not taken for a wrong password, but for its code")
    func locked() throws {
        let vector = try #require(ContainerVectors.good["two-password"])
        let files = ContainerFiles(vector)
        let header = try files.header()
        func expect(_ error: ContainerError, _ change: (inout ContainerFiles) throws -> Void) throws {
            var changed = files
            try change(&changed)
            let header = try changed.header()
            for key in header.keys {
                #expect(throws: error) { _ = try changed.open(header, key.index, "secret", .main) }
            }
        }
        try expect(.maskCode(.masks)) { $0[.masks][10] ^= 1 }
        try expect(.maskCode(.masks)) { $0[.masks][40] ^= 1 }
        var changed = files
        changed[.primary][50] ^= 1
        #expect(throws: ContainerError.key(.fingerprint)) {
            _ = try changed.open(header, .second, "secret", .main)
        }
        #expect(throws: Never.self) { _ = try changed.open(header, .first, "secret", .main) }
        let code = try #require(files.headerContents.firstRange(of: [0x82, 4])?.upperBound)
        try expect(.password) {
            var contents = try $0.headerContents
            contents[code] ^= 1
            try $0.seal(contents)
        }
    }

    @Test("Files of two containers, and the two keys of one, are not mixed")
    func mixed() throws {
        let vector = try #require(ContainerVectors.good["two-plain"])
        let files = ContainerFiles(vector)
        var mixed = files
        mixed[.primary] = files[.primary2]
        #expect(throws: ContainerError.key(.fingerprint)) { try mixed.openFirst() }
        mixed = files
        mixed[.masks] = files[.masks2]
        #expect(throws: ContainerError.key(.fingerprint)) { try mixed.openFirst() }
        mixed = files
        let (first, second) = (files[.primary][4..<36], files[.primary][38..<70])
        mixed[.primary] = [0x30, 0x44, 0x04, 0x20] + second + [0x80, 0x20] + first
        #expect(throws: ContainerError.key(.fingerprint)) { try mixed.openFirst() }
    }

    @Test("A third key in a key file is not supported, and a second one of another tag neither")
    func thirdKey() throws {
        let vector = try #require(ContainerVectors.good["two-plain"])
        var files = ContainerFiles(vector)
        files[.primary] = [0x30, 0x66] + files[.primary].dropFirst(2) + [0x81, 0x20] + [UInt8](1...32)
        #expect(throws: ContainerError.unsupported(.keyFile(.primary))) { try files.openFirst() }
        let key = try files.open(.first, password: "")
        #expect([UInt8](copying: key.scalar) == vector.keys[0].d.bytes.reversed(), "the reserve opens")
        files = ContainerFiles(vector)
        files[.primary][36] = 4
        #expect(throws: ContainerError.unsupported(.keyFile(.primary))) { try files.openFirst() }
    }

    @Test("A mask that is 0 modulo q is refused, whatever its code")
    func masks() throws {
        let vector = try #require(ContainerVectors.good["256-tc26-a"])
        var files = ContainerFiles(vector)
        let q: [UInt8] = [UInt8](hex: "400000000000000000000000000000000fd8cddfc87b6635c115af556c360c67").reversed()
        let salt = Array(files[.masks][38..<50])
        var mask = [UInt8](repeating: 0, count: 32)
        for _ in 0..<4 {
            let code = try GOST28147IMIT.authenticate(salt.span, key: mask.span, sBox: .tc26Z, meshing: false)
            files[.masks] = [0x30, 0x36, 4, 0x20] + mask + [4, 12] + salt + [4, 4] + [UInt8](copying: code)
            #expect(throws: ContainerError.damaged(.masks, .mask)) { try files.openFirst() }
            var carry = 0
            for index in mask.indices {
                carry += Int(mask[index]) + Int(q[index])
                mask[index] = UInt8(carry & 0xFF)
                carry >>= 8
            }
        }
    }

    /// Opens each key, and expects an error or the key of the vector.
    private func expectNoOther(_ files: ContainerFiles, _ vector: JSON, _ place: String) {
        guard let header = try? files.header() else { return }
        for key in header.keys {
            guard let opened = try? files.open(header, key.index, "", .main) else { continue }
            let expected = vector.keys[key.index.rawValue].d.bytes
            #expect([UInt8](copying: opened.scalar) == expected.reversed(), "\(place)")
        }
    }
}

extension ContainerFiles {
    /// Opens the first key by the main pair, without a password.
    func openFirst() throws(ContainerError) {
        _ = try open(header(), .first, "", .main)
    }
}
