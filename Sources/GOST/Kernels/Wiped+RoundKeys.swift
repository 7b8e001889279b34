// SPDX-License-Identifier: Apache-2.0
internal import GOSTKernels
internal import Secrets

/// Kuznyechik by the kernels. Without a kernel every function returns false and does nothing.
extension Wiped<Kuznyechik.RoundKeys> {
    /// Makes the other round keys of the first two.
    mutating func schedule(_ constants: [Kuznyechik.Block]) -> Bool {
        let path = Instructions.current.path
        return unsafe withUnsafeMutablePointer { keys in
            let keys = unsafe UnsafeMutableRawPointer(keys).assumingMemoryBound(to: UInt8.self)
            return unsafe constants.withUnsafeBytes {
                unsafe gost_kuznyechik_schedule(path, keys, $0.assumingMemoryBound(to: UInt8.self).baseAddress)
            }
        }
    }

    /// Enciphers every whole block in place.
    func encrypt(_ blocks: inout MutableSpan<UInt8>) -> Bool {
        let (path, count) = (Instructions.current.path, blocks.count / 16)
        return unsafe withOctets { keys in
            unsafe blocks.withUnsafeMutableBufferPointer {
                unsafe gost_kuznyechik_encrypt(path, keys, $0.baseAddress, $0.baseAddress, count)
            }
        }
    }

    /// Deciphers every whole block in place.
    func decrypt(_ blocks: inout MutableSpan<UInt8>) -> Bool {
        let (path, count) = (Instructions.current.path, blocks.count / 16)
        return unsafe withOctets { keys in
            unsafe blocks.withUnsafeMutableBufferPointer {
                unsafe gost_kuznyechik_decrypt(path, keys, $0.baseAddress, $0.baseAddress, count)
            }
        }
    }

    /// Adds gamma to every whole block in place: the counter mode (GOST R 34.13-2015, 5.2), beginning at `counter`.
    func addCounters(to blocks: inout MutableSpan<UInt8>, counter: inout Counter) -> Bool {
        let (path, count) = (Instructions.current.path, blocks.count / 16)
        return unsafe withOctets { keys in
            unsafe counter.withKernel { counter in
                unsafe blocks.withUnsafeMutableBufferPointer {
                    unsafe gost_kuznyechik_ctr(path, keys, counter, $0.baseAddress, $0.baseAddress, count)
                }
            }
        }
    }

    /// Links all whole blocks in place; `register` is one block.
    func link(_ blocks: inout MutableSpan<UInt8>, by chain: Chain, register: inout Secret) -> Bool {
        let (path, count, chain) = (Instructions.current.path, blocks.count / 16, gost_chain(chain))
        var register = register.mutableBytes
        return unsafe withOctets { keys in
            unsafe register.withUnsafeMutableBufferPointer { register in
                unsafe blocks.withUnsafeMutableBufferPointer {
                    unsafe gost_kuznyechik_chain(
                        path, keys, chain, register.baseAddress, $0.baseAddress, $0.baseAddress, count)
                }
            }
        }
    }

    /// Adds every whole block to `register`, which is one block, and enciphers it after each.
    func absorb(_ blocks: Span<UInt8>, into register: inout Secret) -> Bool {
        let (path, count) = (Instructions.current.path, blocks.count / 16)
        var register = register.mutableBytes
        return unsafe withOctets { keys in
            unsafe register.withUnsafeMutableBufferPointer { register in
                unsafe blocks.withUnsafeBufferPointer {
                    unsafe gost_kuznyechik_chain(
                        path, keys, .input, register.baseAddress, $0.baseAddress, nil, count)
                }
            }
        }
    }

    private func withOctets(_ body: (UnsafePointer<UInt8>) -> Bool) -> Bool {
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
