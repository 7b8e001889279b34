// SPDX-License-Identifier: Apache-2.0
import CSystem
import Foundation
import Secrets
import Synchronization
import Testing

@Suite("The memory of secrets in a forked child", .serialized)
struct ForkedChildTests {
    @Test(
        "it has zeros in place of its parent's secrets, and can change and release them",
        arguments: [32, 5000, 300_000])
    func inherited(_ count: Int) {
        let parents = [UInt8](repeating: 0xA5, count: count)
        let kept = Box(Secret(copying: parents))
        let neighbour = Box(Secret(copying: parents))
        let status = Child.run {
            guard kept.secret.isFilled(with: 0), neighbour.secret.isFilled(with: 0) else { return 1 }
            kept.secret.fill(0xFF)
            kept.secret = Secret(count: 0)
            neighbour.secret = Secret(count: 0)
            // The child's own secrets are intact.
            let own = (0..<100).map { _ in Box(Secret(copying: parents)) }
            return own.allSatisfy { $0.secret.isFilled(with: 0xA5) } ? 0 : 2
        }
        #expect(status == 0)
        let isKept = kept.secret.isFilled(with: 0xA5)
        #expect(isKept)
    }

    @Test("it does not wait for a thread of its parent that was in the pool")
    func busy() {
        let isDone = Flag()
        Thread.detachNewThread {
            while !isDone.value { _ = Secret(count: 32) }
        }
        defer { isDone.set() }
        for _ in 0..<50 {
            #expect(Child.run { Secret(copying: [1, 2, 3]).count == 3 ? 0 : 1 } == 0)
        }
    }

    @Test("half of what a process may lock is locked, and no more", arguments: [64, 1024])
    func limit(_ kibibytes: Int) {
        let status = Child.run {
            var limit = rlimit(rlim_cur: rlim_t(kibibytes << 10), rlim_max: rlim_t(kibibytes << 10))
            guard unsafe setrlimit(__rlimit_resource_t(__RLIMIT_MEMLOCK.rawValue), &limit) == 0 else { return 1 }
            let secrets = (1...600).map { Box(Secret(copying: [UInt8](repeating: 1, count: $0 * 8))) }
            guard MemoryMap.mapping(of: secrets[0].secret.address)?.isLocked == true else { return 2 }
            let locked = MemoryMap.kibibytes("VmLck")
            guard (kibibytes / 4...kibibytes / 2).contains(locked) else { return 3 }
            return secrets.allSatisfy { $0.secret.isFilled(with: 1) } ? 0 : 4
        }
        #expect(status == 0)
    }

    @Test("without a right to lock, and without memory for pages, secrets are made all the same")
    func nothing() {
        let status = Child.run {
            var limit = rlimit(rlim_cur: 0, rlim_max: 0)
            guard unsafe setrlimit(__rlimit_resource_t(__RLIMIT_MEMLOCK.rawValue), &limit) == 0 else { return 1 }
            guard MemoryMap.mapping(of: Box(Secret(count: 32)).secret.address)?.isForSecrets == true else { return 2 }
            limit.rlim_cur = 1 << 20
            limit.rlim_max = 1 << 20
            guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0 else { return 3 }
            for _ in 0..<10 {
                let secrets = (1...70).map { Box(Secret(copying: [UInt8](repeating: 2, count: $0 * 8))) }
                guard secrets.allSatisfy({ $0.secret.isFilled(with: 2) }) else { return 4 }
            }
            return 0
        }
        #expect(status == 0)
    }
}

/// Tells a thread to end.
private final class Flag: Sendable {
    private let state = Atomic(false)

    var value: Bool { state.load(ordering: .relaxed) }
    func set() { state.store(true, ordering: .relaxed) }
}

/// A forked child, which computes an exit status.
private enum Child {
    static func run(_ body: () -> Int32) -> Int32 {
        withoutActuallyEscaping(body) { body in
            var body = body
            return unsafe withUnsafeMutablePointer(to: &body) { body in
                unsafe status_of_child({ unsafe $0?.assumingMemoryBound(to: (() -> Int32).self).pointee() ?? 99 }, body)
            }
        }
    }
}
