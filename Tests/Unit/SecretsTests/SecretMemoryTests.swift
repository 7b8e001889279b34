// SPDX-License-Identifier: Apache-2.0
import Foundation
import Secrets
import Testing

@Suite("The memory of secrets")
struct SecretMemoryTests {
    /// Around each size at which memory comes from elsewhere.
    static let counts = [1, 32, 64, 65, 2048, 2049, 4096, 4097, 65_538, 258_048, 258_049, 1_000_000]

    @Test("a secret of any length lies in pages that no core dump and no forked child gets", arguments: counts)
    func pages(_ count: Int) throws {
        let secret = Secret(count: count)
        let address = secret.address
        let mapping = try #require(MemoryMap.mapping(of: address))
        #expect(mapping.isForSecrets)
        #expect(mapping.range.contains(address + UInt(count) - 1))
        #expect(address.isMultiple(of: 64))
    }

    @Test("it begins with zeros, and leaves zeros", arguments: counts)
    func zeros(_ count: Int) {
        for _ in 0..<3 {
            var secret = Secret(count: count)
            let isZero = secret.isFilled(with: 0)
            #expect(isZero)
            secret.fill(0xA5)
        }
    }

    @Test("a thousand keys share a few pages, and their memory is used again")
    func sharing() {
        var pages: Set<UInt> = []
        for _ in 0..<10 {
            let keys = (0..<1000).map { _ in Box(Secret(count: 32)) }
            #expect(Set(keys.map { $0.secret.address }).count == keys.count)
            pages.formUnion(keys.map { $0.secret.address / 4096 })
        }
        // 16 pages, and those of other tests.
        #expect(pages.count < 64)
    }

    @Test("threads that make and release secrets of all lengths never get the same memory")
    func threads() async {
        await withTaskGroup(of: Bool.self) { group in
            for number in 1...4 { group.addTask { Self.work(UInt8(number)) } }
            for await isSound in group { #expect(isSound) }
        }
    }

    /// Fills secrets with a thread's number, and looks whether another number comes there.
    private static func work(_ number: UInt8) -> Bool {
        var random = UInt64(number)
        var kept: [Box] = []
        for _ in 0..<2000 {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let count = 1 << Int(random >> 60) + Int(random >> 40 & 63)
            kept.append(Box(Secret(copying: [UInt8](repeating: number, count: count))))
            guard kept.count > 40 else { continue }
            let old = kept.remove(at: Int(random >> 33) % kept.count)
            guard old.secret.isFilled(with: number) else { return false }
        }
        return true
    }

    @Test("an empty secret takes no memory and has an address")
    func empty() {
        let secret = Secret(count: 0)
        let (isEmpty, address) = (secret.isEmpty, secret.address)
        #expect(isEmpty)
        // Swift 6.2 shows no address of an empty span.
        #if compiler(>=6.3)
            #expect(address != 0)
        #endif
        #expect(MemoryMap.mapping(of: address) == nil)
    }
}
