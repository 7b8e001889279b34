// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets
import TestSupport
import Testing

/// The choice of instructions holds for the whole process. Other suites that run at the same time get the choice made
/// here, and their results must be the same.
@Suite("Instructions", .serialized)
struct InstructionTests {
    /// Lengths around the bounds of vectors, batches and key meshing, and random ones.
    static let lengths =
        [0, 1, 7, 8, 15, 16, 31, 32, 63, 64, 127, 128, 129, 255, 256, 511, 512, 513, 1023, 1024, 1025, 2049, 5000]
        + (0..<20).map { _ in Int.random(in: 0...4096) }

    @Test("The portable ones are always available, and what is not available is refused")
    func choice() {
        defer { Instructions.choose(nil) }
        #expect(Instructions.portable.areAvailable && Instructions.choose(.portable))
        for instructions in Instructions.allCases {
            #expect(Instructions.choose(instructions) == instructions.areAvailable)
            if instructions.areAvailable { #expect(Instructions.current == instructions) }
        }
    }

    @Test("Every vector of the ciphers and hashes holds on each path")
    func vectors() throws {
        try onEachPath { _ in
            let ciphers = CipherTests()
            try ciphers.ecb()
            try ciphers.cnt()
            try ciphers.cntInPieces()
            try ciphers.longMessage()
            try ciphers.meshing()
            try Mode28147Tests().cfb()
            try Mode28147Tests().cbc()
            try Mode28147Tests().imit()
            try KeyWrapTests().vectors()
            try ModeTests().modes()
            try ModeTests().longMessage()
            try RekeyingTests().vectors()
            try MGMTests().mgm()
            try MGMTests().esp()
            try MGMTests().kexp15()
            try BlockCipherTests().magma()
            try BlockCipherTests().kuznyechik()
            for count in [1, 7, 63, 64, 65, 130, 300] { try BlockCipherTests().sideBySide(count: count) }
            try HashTests().streebog()
            try HashTests().gostR341194()
            HashTests().pieces()
        }
    }

    @Test("Ciphers give the same bytes on each path, whatever the length, the counter and the alignment")
    func ciphers() throws {
        for length in Self.lengths {
            let (key, iv, message) = (random(32), random(16), random(length + 64))
            let shift = Int.random(in: 0..<64)
            let data = message.span.extracting(shift..<shift + length)
            let results = try onEachPath { _ in
                [
                    try ecb(key, data), try cnt(key, iv, data, meshing: false), try cnt(key, iv, data, meshing: true),
                    try ctr(Magma.self, key, iv, data), try ctr(Kuznyechik.self, key, iv, data),
                    try acpkm(Magma.self, key, iv, data), try acpkm(Kuznyechik.self, key, iv, data),
                    try mgm(Magma.self, key, iv, data), try mgm(Kuznyechik.self, key, iv, data),
                ]
            }
            #expect(Set(results).count == 1, "\(length) bytes")
        }
    }

    @Test(
        "A counter that runs over carries within the part that counts, on each path", arguments: Counter.Part.allCases)
    func carries(part: Counter.Part) throws {
        try onEachPath { _ in
            try carries(Magma.self, part)
            try carries(Kuznyechik.self, part)
        }
    }

    private func carries<Cipher: GOSTBlockCipher & ~Copyable>(_: Cipher.Type, _ part: Counter.Part) throws {
        let (size, count) = (Cipher.blockSize, 200)
        let cipher = try Cipher(key: random(32).span)
        // Sixteen blocks before either half or the whole runs over.
        for high in [0x00, 0xFF] as [UInt8] {
            let half = [UInt8](repeating: high, count: size / 2 - 1) + [high & 0xF0]
            let start = half + [UInt8](repeating: 0xFF, count: size / 2 - 1) + [0xF0]
            var next = Counter(start.span, blockSize: size, counting: part)
            var gamma: [UInt8] = []
            for _ in 0..<2 {
                var part = [UInt8](repeating: 0, count: size * count)
                var blocks = part.mutableSpan
                cipher.addGamma(to: &blocks, counter: &next)
                gamma += part
            }

            var (expected, block) = ([UInt8](), start)
            for _ in 0..<2 * count {
                expected += block
                countOn(&block, part)
            }
            var counters = expected.mutableSpan
            cipher.encrypt(&counters)
            #expect(gamma == expected)
        }
    }

    /// Adds one to the bytes that count, the last of which is the lowest.
    private func countOn(_ block: inout [UInt8], _ part: Counter.Part) {
        let half = block.count / 2
        let places =
            switch part {
            case .whole: 0..<block.count
            case .left: 0..<half
            case .right: half..<block.count
            }
        for index in places.reversed() {
            block[index] &+= 1
            if block[index] != 0 { break }
        }
    }

    @Test("Hash functions give the same hash code on each path, whatever the length and the alignment")
    func hashes() throws {
        for length in Self.lengths {
            let message = random(length + 64)
            let shift = Int.random(in: 0..<64)
            let data = message.span.extracting(shift..<shift + length)
            let results = onEachPath { _ in
                [Streebog256.hash(data), Streebog512.hash(data), GOSTR341194.hash(data)]
            }
            #expect(Set(results).count == 1, "\(length) bytes")
        }
    }

    /// The results of `body` with each set of instructions that this processor has.
    @discardableResult
    func onEachPath<Result>(_ body: (Instructions) throws -> Result) rethrows -> [Result] {
        defer { Instructions.choose(nil) }
        return try Instructions.allCases.filter(\.areAvailable).map { instructions in
            Instructions.choose(instructions)
            return try body(instructions)
        }
    }

    func random(_ count: Int) -> [UInt8] { (0..<count).map { _ in .random(in: 0...255) } }

    private func ecb(_ key: [UInt8], _ data: Span<UInt8>) throws -> [UInt8] {
        let cipher = try GOST28147(key: key.span, sBox: .cryptoProB)
        let whole = data.extracting(first: data.count / 8 * 8)
        let ciphertext = try cipher.encryptECB(whole)
        #expect(try cipher.decryptECB(ciphertext.bytes).array == [UInt8](copying: whole))
        return ciphertext.array
    }

    private func cnt(_ key: [UInt8], _ iv: [UInt8], _ data: Span<UInt8>, meshing: Bool) throws -> [UInt8] {
        let iv = iv.span.extracting(first: 8)
        var cipher = try GOST28147CNT(key: key.span, iv: iv, sBox: .cryptoProA, meshing: meshing)
        let head = data.count / 3
        return cipher.apply(data.extracting(first: head)).array
            + cipher.apply(data.extracting(droppingFirst: head)).array
    }

    private func ctr<Cipher: GOSTBlockCipher & ~Copyable>(
        _: Cipher.Type, _ key: [UInt8], _ iv: [UInt8], _ data: Span<UInt8>
    ) throws -> [UInt8] {
        var cipher = try CTR<Cipher>(key: key.span, iv: iv.span.extracting(first: Cipher.blockSize / 2))
        let head = data.count / 3
        return cipher.update(data.extracting(first: head)).array
            + cipher.update(data.extracting(droppingFirst: head)).array
    }

    private func acpkm<Cipher: GOSTBlockCipher & ~Copyable>(
        _: Cipher.Type, _ key: [UInt8], _ iv: [UInt8], _ data: Span<UInt8>
    ) throws -> [UInt8] {
        let iv = iv.span.extracting(first: Cipher.blockSize / 2)
        var cipher = try CTRACPKM<Cipher>(key: key.span, iv: iv, section: 80)
        let head = data.count / 3
        return cipher.update(data.extracting(first: head)).array
            + cipher.update(data.extracting(droppingFirst: head)).array
    }

    private func mgm<Cipher: GOSTBlockCipher & ~Copyable>(
        _: Cipher.Type, _ key: [UInt8], _ iv: [UInt8], _ data: Span<UInt8>
    ) throws -> [UInt8] {
        let nonce = [iv[0] & 0x7F] + iv[1..<Cipher.blockSize]
        return try MGM<Cipher>(key: key.span).seal(data, nonce: nonce.span, authenticating: key.span).array
    }
}
