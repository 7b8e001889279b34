// SPDX-License-Identifier: Apache-2.0

/// Why a computation of the host refused its input or could not be done.
package enum HostCryptoError: Error, Sendable, Equatable {
    /// Numbers that make no key, or a key that does not work.
    case invalidKey
    /// A modulus of fewer than 512 or more than 4096 bits.
    case unsupportedKeySize
    /// The key is too short for the hash function or the salt.
    case keyTooShort
    /// A point that is not uncompressed, not on its curve, or the one at infinity.
    case invalidPoint
    /// A parameter that the algorithm does not take.
    case invalidParameter
    /// Data, a digest or a ciphertext of a length that the key or the algorithm does not take.
    case invalidLength
    /// A signature of a length that the key does not make.
    case invalidSignatureLength
    /// A number that is not below the key's modulus.
    case valueOutOfRange
    /// A signature that this key did not make.
    case invalidSignature
    /// A ciphertext that does not open under this key.
    case decryptionFailed
    /// Malformed DER.
    case invalidEncoding
    /// The operating system could not deliver random bytes.
    case randomUnavailable
    /// No memory was left for a computation of GOST. A later call may succeed.
    case outOfMemory
    /// libcrypto ran out of memory, failed in a way that no input explains, or is missing: see
    /// ``LibraryContext/presence``.
    case libraryFailure
}
