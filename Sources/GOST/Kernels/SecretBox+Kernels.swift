// SPDX-License-Identifier: Apache-2.0

internal import GOSTKernels
internal import Secrets

/// GOST 28147-89 by the kernels.
extension SecretBox<Keys28147> {
    /// Enciphers every whole block in place.
    func encrypt(_ blocks: inout MutableSpan<UInt8>, _ substitution: Substitution, _ order: gost_order) {
        let (path, count) = (Instructions.current.path, blocks.count / 8)
        unsafe withCipher(substitution, order) { cipher in
            unsafe blocks.withUnsafeMutableBufferPointer {
                unsafe gost_28147_encrypt(path, cipher, $0.baseAddress, $0.baseAddress, count)
            }
        }
    }

    /// Enciphers a block that is a number, its first byte the lowest.
    func encrypt(_ number: inout UInt64, _ substitution: Substitution) {
        let path = Instructions.current.path
        unsafe withCipher(substitution, .little) { cipher in
            unsafe withUnsafeMutableBytes(of: &number) {
                let block = unsafe $0.assumingMemoryBound(to: UInt8.self).baseAddress
                unsafe gost_28147_encrypt(path, cipher, block, block, 1)
            }
        }
    }

    /// Deciphers every whole block in place.
    func decrypt(_ blocks: inout MutableSpan<UInt8>, _ substitution: Substitution, _ order: gost_order) {
        let (path, count) = (Instructions.current.path, blocks.count / 8)
        unsafe withCipher(substitution, order) { cipher in
            unsafe blocks.withUnsafeMutableBufferPointer {
                unsafe gost_28147_decrypt(path, cipher, $0.baseAddress, $0.baseAddress, count)
            }
        }
    }

    /// Adds gamma to every whole block in place: the gamma mode (RFC 5830, 6). `counter` is N4 ‖ N3.
    func addGamma(
        to blocks: inout MutableSpan<UInt8>, counter: inout UInt64, _ substitution: Substitution, _ order: gost_order
    ) {
        let (path, count) = (Instructions.current.path, blocks.count / 8)
        unsafe withCipher(substitution, order) { cipher in
            unsafe blocks.withUnsafeMutableBufferPointer {
                unsafe gost_28147_cnt(path, cipher, &counter, $0.baseAddress, $0.baseAddress, count)
            }
        }
    }

    /// Adds gamma to every whole block in place: the counter mode (GOST R 34.13-2015, 5.2), beginning at `counter`.
    func addCounters(
        to blocks: inout MutableSpan<UInt8>, counter: inout Counter, _ substitution: Substitution, _ order: gost_order
    ) {
        let (path, count) = (Instructions.current.path, blocks.count / 8)
        unsafe withCipher(substitution, order) { cipher in
            unsafe blocks.withUnsafeMutableBufferPointer {
                unsafe gost_28147_ctr(path, cipher, &counter.next, $0.baseAddress, $0.baseAddress, count)
            }
        }
    }

    /// Adds gamma to whole sections of 1024 bytes in place, before each of which key and counter change (RFC 4357,
    /// 2.3.2).
    mutating func addMeshedGamma(
        to sections: inout MutableSpan<UInt8>, counter: inout UInt64, _ substitution: Substitution
    ) {
        let (path, count) = (Instructions.current.path, sections.count / 1024)
        unsafe withUnsafeMutablePointer { keys in
            let words = unsafe UnsafeMutableRawPointer(keys).assumingMemoryBound(to: UInt32.self)
            unsafe substitution.rows.span.withUnsafeBufferPointer { rows in
                unsafe sections.withUnsafeMutableBufferPointer {
                    unsafe gost_28147_cnt_meshed(
                        path, rows.baseAddress, words, &counter, $0.baseAddress, $0.baseAddress, count)
                }
            }
        }
    }

    /// Links all whole blocks in place; `register` is one block.
    func link(
        _ blocks: inout MutableSpan<UInt8>, by chain: Chain, register: inout Secret, _ substitution: Substitution,
        _ order: gost_order
    ) {
        let (path, count, chain) = (Instructions.current.path, blocks.count / 8, gost_chain(chain))
        var register = register.mutableBytes
        unsafe withCipher(substitution, order) { cipher in
            unsafe register.withUnsafeMutableBufferPointer { register in
                unsafe blocks.withUnsafeMutableBufferPointer {
                    unsafe gost_28147_chain(
                        path, cipher, chain, register.baseAddress, $0.baseAddress, $0.baseAddress, count)
                }
            }
        }
    }

    /// Adds every whole block to `register`, which is one block, and enciphers it after each.
    func absorb(
        _ blocks: Span<UInt8>, into register: inout Secret, _ substitution: Substitution, _ order: gost_order
    ) {
        let (path, count) = (Instructions.current.path, blocks.count / 8)
        var register = register.mutableBytes
        unsafe withCipher(substitution, order) { cipher in
            unsafe register.withUnsafeMutableBufferPointer { register in
                unsafe blocks.withUnsafeBufferPointer {
                    unsafe gost_28147_chain(path, cipher, .input, register.baseAddress, $0.baseAddress, nil, count)
                }
            }
        }
    }

    /// Adds every whole block to the state of the authentication code (RFC 5830, 8).
    func authenticate(_ blocks: Span<UInt8>, _ code: inout UInt64, _ substitution: Substitution) {
        let (path, count) = (Instructions.current.path, blocks.count / 8)
        unsafe withCipher(substitution, .little) { cipher in
            unsafe blocks.withUnsafeBufferPointer { unsafe gost_28147_imit(path, cipher, &code, $0.baseAddress, count) }
        }
    }

    private func withCipher(
        _ substitution: Substitution, _ order: gost_order, _ body: (UnsafePointer<gost_28147>) -> Void
    ) {
        unsafe withUnsafePointer { keys in
            unsafe substitution.rows.span.withUnsafeBufferPointer { rows in
                let words = unsafe UnsafeRawPointer(keys).assumingMemoryBound(to: UInt32.self)
                let cipher = unsafe gost_28147(rows: rows.baseAddress, key: words, order: order)
                unsafe Swift.withUnsafePointer(to: cipher, body)
            }
        }
    }
}

/// Kuznyechik by the kernels.
extension SecretBox<Kuznyechik.RoundKeys> {
    /// Makes the other round keys of the first two.
    mutating func schedule() {
        let path = Instructions.current.path
        unsafe withUnsafeMutablePointer { keys in
            let keys = unsafe UnsafeMutableRawPointer(keys).assumingMemoryBound(to: UInt8.self)
            unsafe gost_kuznyechik_schedule(path, keys, gost_kuznyechik_constants())
        }
    }

    /// Enciphers every whole block in place.
    func encrypt(_ blocks: inout MutableSpan<UInt8>) {
        let (path, count) = (Instructions.current.path, blocks.count / 16)
        unsafe withBytes { keys in
            unsafe blocks.withUnsafeMutableBufferPointer {
                unsafe gost_kuznyechik_encrypt(path, keys, $0.baseAddress, $0.baseAddress, count)
            }
        }
    }

    /// Deciphers every whole block in place.
    func decrypt(_ blocks: inout MutableSpan<UInt8>) {
        let (path, count) = (Instructions.current.path, blocks.count / 16)
        unsafe withBytes { keys in
            unsafe blocks.withUnsafeMutableBufferPointer {
                unsafe gost_kuznyechik_decrypt(path, keys, $0.baseAddress, $0.baseAddress, count)
            }
        }
    }

    /// Adds gamma to every whole block in place: the counter mode (GOST R 34.13-2015, 5.2), beginning at `counter`.
    func addCounters(to blocks: inout MutableSpan<UInt8>, counter: inout Counter) {
        let (path, count) = (Instructions.current.path, blocks.count / 16)
        unsafe withBytes { keys in
            unsafe blocks.withUnsafeMutableBufferPointer {
                unsafe gost_kuznyechik_ctr(path, keys, &counter.next, $0.baseAddress, $0.baseAddress, count)
            }
        }
    }

    /// Links all whole blocks in place; `register` is one block.
    func link(_ blocks: inout MutableSpan<UInt8>, by chain: Chain, register: inout Secret) {
        let (path, count, chain) = (Instructions.current.path, blocks.count / 16, gost_chain(chain))
        var register = register.mutableBytes
        unsafe withBytes { keys in
            unsafe register.withUnsafeMutableBufferPointer { register in
                unsafe blocks.withUnsafeMutableBufferPointer {
                    unsafe gost_kuznyechik_chain(
                        path, keys, chain, register.baseAddress, $0.baseAddress, $0.baseAddress, count)
                }
            }
        }
    }

    /// Adds every whole block to `register`, which is one block, and enciphers it after each.
    func absorb(_ blocks: Span<UInt8>, into register: inout Secret) {
        let (path, count) = (Instructions.current.path, blocks.count / 16)
        var register = register.mutableBytes
        unsafe withBytes { keys in
            unsafe register.withUnsafeMutableBufferPointer { register in
                unsafe blocks.withUnsafeBufferPointer {
                    unsafe gost_kuznyechik_chain(
                        path, keys, .input, register.baseAddress, $0.baseAddress, nil, count)
                }
            }
        }
    }

    private func withBytes(_ body: (UnsafePointer<UInt8>) -> Void) {
        unsafe withUnsafePointer {
            unsafe body(UnsafeRawPointer($0).assumingMemoryBound(to: UInt8.self))
        }
    }
}

extension gost_chain {
    init(_ chain: Chain) {
        self =
            switch chain {
            case .input: .input
            case .output: .output
            case .gamma: .gamma
            }
    }
}

/// The sum of products of MGM, two words, the low one first.
extension SecretBox<InlineArray<2, UInt64>> {
    /// Adds the products of whole blocks of `data` and of as many of `factors`, of 8 bytes in GF(2^64) or of 16 in
    /// GF(2^128).
    mutating func addProducts(_ data: Span<UInt8>, _ factors: Span<UInt8>, blockSize: Int) {
        let (path, count) = (Instructions.current.path, min(data.count, factors.count) / blockSize)
        unsafe withUnsafeMutablePointer { sum in
            let words = unsafe UnsafeMutableRawPointer(sum).assumingMemoryBound(to: UInt64.self)
            unsafe data.withUnsafeBufferPointer { data in
                unsafe factors.withUnsafeBufferPointer { factors in
                    unsafe gost_multilinear_sum(path, words, data.baseAddress, factors.baseAddress, blockSize, count)
                }
            }
        }
    }
}
