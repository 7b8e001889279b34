// SPDX-License-Identifier: Apache-2.0

import COpenSSL
import GOST
import Secrets

extension DigestAlgorithm {
    /// The number of bytes of a DigestInfo in DER (RFC 8017, 9.2, notes).
    var digestInfoSize: Int {
        switch self {
        case .md5: 18 + size
        case .sha1: 15 + size
        default: 19 + size
        }
    }
}

extension Parameters {
    /// - Throws: ``HostCryptoError/invalidParameter`` for a hash function of GOST.
    mutating func add(_ name: StaticString, _ hash: DigestAlgorithm) throws(HostCryptoError) {
        guard let text = hash.name else { throw .invalidParameter }
        try add(name, text: text)
    }
}
