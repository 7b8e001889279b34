internal import GOSTKernels

/// Kuznyechik by the kernels. Every function answers false, having done nothing, if there is none, or if the blocks are
/// so few that the portable code is faster.
extension Wiped<Kuznyechik.RoundKeys> {
    /// A kernel works on 64 blocks, whether they are needed or not.
    private static var fewestBlocks: Int { 8 }

    /// Enciphers every whole block in place.
    func encrypt(_ blocks: inout MutableSpan<UInt8>) -> Bool {
        let (path, count) = (Instructions.current.path, blocks.count / 16)
        guard count >= Self.fewestBlocks else { return false }
        return unsafe withOctets { keys in
            unsafe blocks.withUnsafeMutableBufferPointer {
                unsafe gost_kuznyechik_encrypt(path, keys, $0.baseAddress, $0.baseAddress, count)
            }
        }
    }

    /// Deciphers every whole block in place.
    func decrypt(_ blocks: inout MutableSpan<UInt8>) -> Bool {
        let (path, count) = (Instructions.current.path, blocks.count / 16)
        guard count >= Self.fewestBlocks else { return false }
        return unsafe withOctets { keys in
            unsafe blocks.withUnsafeMutableBufferPointer {
                unsafe gost_kuznyechik_decrypt(path, keys, $0.baseAddress, $0.baseAddress, count)
            }
        }
    }

    /// Adds gamma to every whole block in place: the counter mode (GOST R 34.13-2015, 5.2), beginning at `counter`.
    func addCounters(to blocks: inout MutableSpan<UInt8>, counter: inout Counter) -> Bool {
        let (path, count) = (Instructions.current.path, blocks.count / 16)
        guard count >= Self.fewestBlocks else { return false }
        return unsafe withOctets { keys in
            unsafe counter.withKernel { counter in
                unsafe blocks.withUnsafeMutableBufferPointer {
                    unsafe gost_kuznyechik_ctr(path, keys, counter, $0.baseAddress, $0.baseAddress, count)
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
