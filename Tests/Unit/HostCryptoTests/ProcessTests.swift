// SPDX-License-Identifier: Apache-2.0
import COpenSSL
import Foundation
import Glibc
import HostCrypto
import Secrets
import Synchronization
import TestSupport
import Testing

@Suite("What the process notices")
struct ProcessTests {
    @Test("Threads can use one key at a time")
    func threads() async throws {
        let rsa = Shared(try RSAPrivateKey(generating: 1024))
        let ec = Shared(try ECPrivateKey.generate(on: .p256, random: Seeded("threads")))
        let failures = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: 64) { index in
            let input = [UInt8](repeating: UInt8(index), count: 32)
            do {
                let signature = try rsa.value.signature(input, .pkcs1DigestInfo(.sha256))
                let ciphertext = try rsa.value.publicKey.ciphertext(input, .pkcs1)
                let isValid =
                    try rsa.value.publicKey.accepts(signature, input, .pkcs1DigestInfo(.sha256))
                    && rsa.value.plaintext(ciphertext, .pkcs1) == input
                    && ec.value.publicKey.accepts(ec.value.signature(input), input)
                if !isValid { failures.add(1, ordering: .relaxed) }
            } catch {
                failures.add(1, ordering: .relaxed)
            }
        }
        #expect(failures.load(ordering: .relaxed) == 0)
    }

    @Test("What fails leaves nothing in libcrypto's error queue, and what stood there stays")
    func errorQueue() throws {
        let queue = try ErrorQueue()
        queue.clear()
        defer { queue.clear() }
        // An error of the process's own: an unknown algorithm.
        #expect(unsafe EVP_MD_fetch(nil, "none", nil) == nil)
        let before = queue.last()
        let key = try RSAPrivateKey(generating: 512)
        let block = [UInt8](repeating: 1, count: 64)
        _ = try? key.plaintext(block, .pkcs1)
        _ = try? key.plaintext(block, .oaep(hash: .sha1, mask: .sha1, label: []))
        _ = try? key.plaintext(key.publicKey.modulus, .raw)
        _ = try? key.publicKey.accepts(block, [1], .pkcs1)
        _ = try? key.publicKey.accepts(block, [UInt8](block.prefix(20)), .pss(hash: .sha1, mask: .sha1, saltLength: 0))
        _ = try? ECPublicKey(curve: .p256, point: [4] + block)
        _ = try? ECPrivateKey(curve: .p256, scalar: Secret(copying: block))
        _ = try? RSAPublicKey(modulus: key.publicKey.modulus, publicExponent: [2])
        #expect(queue.last() == before)
        #expect(before != 0)
    }
}

/// A key that threads share.
private final class Shared<Value: ~Copyable & Sendable>: Sendable {
    let value: Value

    init(_ value: consuming Value) { self.value = value }
}

/// The error queue of the libcrypto that is used, by functions that the project does not call.
private struct ErrorQueue {
    let clear: @convention(c) () -> Void
    let last: @convention(c) () -> UInt

    init() throws {
        guard case .version(let number) = LibraryContext.presence else { throw HostCryptoError.libraryFailure }
        let library = unsafe dlopen("libcrypto.so.\(number)", RTLD_NOW | RTLD_NOLOAD)
        let clear = unsafe try #require(dlsym(library, "ERR_clear_error"))
        let last = unsafe try #require(dlsym(library, "ERR_peek_last_error"))
        self.clear = unsafe unsafeBitCast(clear, to: (@convention(c) () -> Void).self)
        self.last = unsafe unsafeBitCast(last, to: (@convention(c) () -> UInt).self)
    }
}
