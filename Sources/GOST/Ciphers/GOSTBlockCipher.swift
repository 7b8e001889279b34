// SPDX-License-Identifier: Apache-2.0

/// A block cipher of GOST R 34.12-2015 with one key.
package protocol GOSTBlockCipher: BlockCipher, ~Copyable {
    static var algorithm: CipherAlgorithm { get }
}

extension GOSTBlockCipher where Self: ~Copyable {
    package static var blockSize: Int { algorithm.blockSize }
}
