// SPDX-License-Identifier: Apache-2.0

internal import GOSTKernels
internal import Secrets

/// A block cipher under a key.
extension SecretBox<gost_block> {
    /// - Throws: ``GOSTError/invalidKeyLength`` unless the key has 32 bytes.
    init(_ algorithm: CipherAlgorithm, key: Span<UInt8>) throws(GOSTError) {
        guard key.count == CipherAlgorithm.keySize else { throw .invalidKeyLength }
        self.init(gost_block())
        unsafe withUnsafeMutablePointer { block in
            unsafe gost_block_begin(Instructions.current.path, block, algorithm.name)
            if case .gost28147(let sBox) = algorithm { unsafe block.pointee.rows = sBox.set }
            unsafe key.withUnsafeBufferPointer { unsafe gost_block_set_key(block, $0.baseAddress) }
        }
    }
}

/// A message that is enciphered or deciphered in pieces.
extension SecretBox<gost_cipher> {
    /// - Parameters:
    ///   - iv: As long as the mode requires.
    ///   - section: The bytes after which the key changes; 0 for never.
    init(_ block: borrowing SecretBox<gost_block>, _ mode: gost_mode, iv: Span<UInt8>, section: Int) {
        self.init(gost_cipher())
        value.mode = mode
        value.section = section
        unsafe withUnsafeMutablePointer { cipher in
            unsafe block.withUnsafePointer { unsafe cipher.pointee.block = $0.pointee }
            unsafe iv.withUnsafeBufferPointer { unsafe gost_cipher_begin(cipher, $0.baseAddress) }
        }
    }

    /// Enciphers or deciphers the next bytes of the message in their place.
    mutating func update(_ bytes: inout MutableSpan<UInt8>, enciphering: Bool) {
        unsafe withUnsafeMutablePointer { cipher in
            unsafe cipher.pointee.is_encryption = enciphering
            unsafe bytes.withUnsafeMutableBufferPointer {
                unsafe gost_cipher_update(cipher, $0.baseAddress, $0.baseAddress, $0.count)
            }
        }
    }
}

/// An authentication code of a message that comes in pieces.
extension SecretBox<gost_mac> {
    /// The code of GOST 28147-89.
    ///
    /// - Parameter iv: 8 bytes, or none for zeros.
    init(imit block: borrowing SecretBox<gost_block>, iv: Span<UInt8>, meshing: Bool) {
        self.init(gost_mac())
        unsafe withUnsafeMutablePointer { mac in
            unsafe block.withUnsafePointer { block in
                unsafe iv.withUnsafeBufferPointer { iv in
                    unsafe gost_mac_begin_imit(mac, block, iv.isEmpty ? nil : iv.baseAddress, meshing)
                }
            }
        }
    }

    init(omac block: borrowing SecretBox<gost_block>) {
        self.init(gost_mac())
        unsafe withUnsafeMutablePointer { mac in
            unsafe block.withUnsafePointer { unsafe gost_mac_begin_omac(mac, $0) }
        }
    }

    mutating func update(_ data: Span<UInt8>) {
        unsafe withUnsafeMutablePointer { mac in
            unsafe data.withUnsafeBufferPointer { unsafe gost_mac_update(mac, $0.baseAddress, $0.count) }
        }
    }

    /// The first bytes of the code, at most a block.
    mutating func end(_ count: Int) -> Secret {
        var code = Secret(count: count)
        var bytes = code.mutableBytes
        unsafe withUnsafeMutablePointer { mac in
            unsafe bytes.withUnsafeMutableBufferPointer { unsafe gost_mac_end(mac, $0.baseAddress, $0.count) }
        }
        return code
    }
}

/// A message that is enciphered and authenticated.
extension SecretBox<gost_mgm> {
    /// - Parameter nonce: A block whose first bit is 0.
    init(_ block: borrowing SecretBox<gost_block>, nonce: Span<UInt8>) throws(GOSTError) {
        self.init(gost_mgm())
        let hasBegun = unsafe withUnsafeMutablePointer { mgm in
            unsafe block.withUnsafePointer { block in
                unsafe nonce.withUnsafeBufferPointer { nonce in
                    unsafe nonce.count == gost_block_size(block.pointee.name)
                        && gost_mgm_begin(mgm, block, nonce.baseAddress)
                }
            }
        }
        guard hasBegun else { throw .invalidIVLength }
    }

    /// Appends data that are authenticated alone, before all text.
    mutating func authenticate(_ data: Span<UInt8>) throws(GOSTError) {
        let hasRoom = unsafe withUnsafeMutablePointer { mgm in
            unsafe data.withUnsafeBufferPointer { unsafe gost_mgm_authenticate(mgm, $0.baseAddress, $0.count) }
        }
        guard hasRoom else { throw .invalidLength }
    }

    /// Enciphers or deciphers text in place.
    mutating func update(_ text: inout MutableSpan<UInt8>, enciphering: Bool) throws(GOSTError) {
        let hasRoom = unsafe withUnsafeMutablePointer { mgm in
            unsafe text.withUnsafeMutableBufferPointer {
                unsafe gost_mgm_update(mgm, enciphering, $0.baseAddress, $0.baseAddress, $0.count)
            }
        }
        guard hasRoom else { throw .invalidLength }
    }

    /// The tag, a block.
    mutating func end(blockSize: Int) throws(GOSTError) -> Secret {
        var tag = Secret(count: blockSize)
        var bytes = tag.mutableBytes
        let hasInput = unsafe withUnsafeMutablePointer { mgm in
            unsafe bytes.withUnsafeMutableBufferPointer { unsafe gost_mgm_end(mgm, $0.baseAddress) }
        }
        guard hasInput else { throw .invalidLength }
        return tag
    }
}
