// SPDX-License-Identifier: Apache-2.0

/// How a mechanism uses a block cipher.
enum CipherMode: Sendable {
    /// ECB: whole blocks.
    case codebook
    /// CBC without padding: whole blocks.
    case chained
    /// CBC with padding: the text as a whole.
    case padded
    /// Any number of bytes, in parts of any length: CTR-ACPKM, or with GOST 28147-89 the mode of its parameter set.
    case stream
    /// MGM: the text as a whole, and a tag after it.
    case authenticated
}
