// SPDX-License-Identifier: Apache-2.0

import GOST

/// Why a file is not imported.
package enum PFXError: Error, Sendable, Equatable {
    /// The MAC does not match: the password is wrong, or the file is damaged.
    case wrongPassword
    /// The password is not valid UTF-8.
    case invalidPassword
    /// Malformed bytes, though the MAC is right or was not checked yet.
    case damaged
    /// Something with this object identifier, in dotted decimal.
    case unsupported(String)
    /// A file without a MAC, which cannot be distinguished from a changed one.
    case unauthenticated
    /// A file of more than ``PFX/sizeLimit`` bytes, or with more than ``PFX/bagLimit`` things or
    /// ``PFX/keyLimit`` keys in it.
    case tooLarge
    /// Key derivations that compute a hash function more than ``PFX/workLimit`` times in all, and the iterations of the
    /// first that would be above.
    case tooManyIterations(Int)
    /// The caller has ended the work.
    case cancelled
    /// A key of CryptoPro's own form that belongs to no certificate in the file.
    case keyMismatch
    /// Invalid key components, or a size or curve that the host does not support.
    case invalidKey
    /// An ECPrivateKey of GOST without its public key, or with another's: the order of the number's bytes is not certain.
    case ambiguousKey
    /// libcrypto ran out of memory or failed in a way that no input explains.
    case libraryFailure
}
