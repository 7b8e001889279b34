// SPDX-License-Identifier: Apache-2.0

/// A list of revoked certificates that was fetched, as it is verified before it is kept.
package enum FetchedList {
    /// The reason why the list counts for nothing. Times are in seconds since 1970.
    package enum Fault: Error, Sendable, Equatable {
        /// It cannot be read, or has critical extensions that are not heeded.
        case malformed
        /// It is not signed by the certificate's issuer, or by a weak hash function or key.
        case wrongSignature
        /// It is of a time to come.
        case notYetValid
        /// A newer one was due then.
        case outdated(Int)
        /// libcrypto ran out of memory or is missing.
        case failure(HostCryptoError)
    }

    /// Verifies a list of an issuer.
    ///
    /// - Parameters:
    ///   - list: In DER.
    ///   - issuer: The issuer's certificate in DER.
    ///   - now: In seconds since 1970.
    /// - Returns: When a newer list is due, in seconds since 1970; nil if the list does not say.
    package static func verify(_ list: [UInt8], of issuer: [UInt8], at now: Int) throws(Fault) -> Int? {
        let (isIssuers, isUsable, isCurrent, next): (Bool, Bool, Bool, Int?)
        do throws(HostCryptoError) {
            let list = try RevocationList(der: list), issuer = try Certificate(der: issuer.span)
            let info = issuer.subjectPublicKeyInfo
            let key = try? PublicKeyInfo(der: info.span)
            let isNamed = list.issuer == issuer.subject
            isIssuers = if isNamed, let key, key.isStrong { try list.isSigned(with: key) } else { false }
            (isUsable, isCurrent, next) = (list.isUsable(after: now), list.isCurrent(at: now), list.nextUpdate)
        } catch {
            throw error == .libraryFailure ? .failure(error) : .malformed
        }
        guard isIssuers else { throw .wrongSignature }
        guard isCurrent else { throw .outdated(next ?? now) }
        guard isUsable else { throw .notYetValid }
        return next
    }
}
