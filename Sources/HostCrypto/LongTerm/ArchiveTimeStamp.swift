// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

/// An archive time stamp of a signature (EN 319 122-1, 5.5.3): of the content, of the signer's fields, and by an index of hashes of
/// certificates, lists and unsigned attributes.
package struct ArchiveTimeStamp: Sendable {
    package let token: TimeStampToken
    private let index: HashIndex

    /// - Throws: ``TimeStampFault/malformed``; ``TimeStampFault/weakAlgorithm``; ``TimeStampFault/wrongImprint`` if the hash
    ///   function of the index is not the stamp's.
    package init(_ token: TimeStampToken) throws(TimeStampFault) {
        index = try HashIndex(of: token)
        self.token = token
        guard index.digest.resistsCollisions else { throw .weakAlgorithm }
        guard index.digest == token.digest else { throw .wrongImprint }
    }

    /// The digest of all that the stamp covers, by its hash function.
    ///
    /// - Parameters:
    ///   - contentDigest: The digest of the content by the same function.
    ///   - elements: The elements of the message.
    /// - Throws: ``TimeStampFault/wrongIndex`` if the index names something that the message does not have;
    ///   ``TimeStampFault/failure(_:)``.
    package func imprint(
        of signer: SignedData.Signer, contentDigest: [UInt8], _ elements: ArchivedElements
    ) throws(TimeStampFault) -> [UInt8] {
        let hashes = try hashes(of: elements)
        guard index.certificates.isSubset(of: hashes.certificates), index.lists.isSubset(of: hashes.lists),
            index.attributes.isSubset(of: hashes.attributes.map(\.hash))
        else { throw .wrongIndex }
        let input = (signer.contentType ?? []) + contentDigest + signer.fields + index.bytes
        do throws(HostCryptoError) { return try Digest.digest(input.span, token.digest) } catch {
            throw .failure(error)
        }
    }

    /// Whether the index leaves out something that the message has: a certificate that `isNeeded`, a list, or an attribute but those
    /// that may come later.
    package func isIncomplete(
        for elements: ArchivedElements, isNeeded: ([UInt8]) -> Bool
    ) throws(TimeStampFault) -> Bool {
        let hashes = try hashes(of: elements)
        let certificates = zip(elements.certificates, hashes.certificates).filter { isNeeded($0.0) }.map(\.1)
        let attributes = hashes.attributes.filter { !ArchivedElements.later.contains($0.type) }.map(\.hash)
        return !index.certificates.isSuperset(of: certificates) || !index.lists.isSuperset(of: hashes.lists)
            || !index.attributes.isSuperset(of: attributes)
    }

    private func hashes(of elements: ArchivedElements) throws(TimeStampFault) -> ArchivedElements.Hashes {
        do throws(HostCryptoError) {
            return try elements.hashes(index.digest, ofValues: index.isOfValues)
        } catch {
            throw .failure(error)
        }
    }
}

/// The elements of a message beside a signature: certificates, lists, and unsigned attributes.
package struct ArchivedElements: Sendable {
    fileprivate let certificates: [[UInt8]]
    private let lists: [[UInt8]]
    private let attributes: [(type: [UInt8], bytes: [UInt8], values: [[UInt8]])]

    /// The types of attributes that may come after an archive time stamp: further ones, and countersignatures.
    fileprivate static let later = [ETSI.archiveTimeStamp, CMS.countersignature, CMS.archiveTimeStampV2]

    /// The hashes of elements, in their order.
    struct Hashes {
        let certificates, lists: [[UInt8]]
        let attributes: [(type: [UInt8], hash: [UInt8])]
    }

    /// - Throws: ``TimeStampFault/malformed`` for attributes that cannot be read.
    package init(_ message: SignedData, _ signer: SignedData.Signer) throws(TimeStampFault) {
        (certificates, lists) = (message.certificates, message.revocationInfo)
        do throws(GOSTError) {
            attributes = try signer.unsignedAttributes.map { bytes throws(GOSTError) in
                var reader = DERReader(bytes.span, .ber)
                var fields = try reader.nested(.sequence)
                let type = try fields.objectIdentifier()
                var set = try fields.nested(.set)
                return (type, bytes, try set.elements(limit: SignedData.certificateLimit))
            }
        } catch {
            throw .malformed
        }
    }

    /// - Parameter ofValues: Whether values of attributes are hashed, each with the type before it, or attributes.
    fileprivate func hashes(_ digest: DigestAlgorithm, ofValues: Bool) throws(HostCryptoError) -> Hashes {
        func hash(_ bytes: [UInt8]) throws(HostCryptoError) -> [UInt8] { try Digest.digest(bytes.span, digest) }
        var hashed: [(type: [UInt8], hash: [UInt8])] = []
        for (type, bytes, values) in attributes {
            guard ofValues else {
                hashed.append((type, try hash(bytes)))
                continue
            }
            for value in values { hashed.append((type, try hash(type + value))) }
        }
        return Hashes(certificates: try certificates.map(hash), lists: try lists.map(hash), attributes: hashed)
    }
}

extension SignedData.Signer {
    /// The archive time stamps of the signature in BER, to a number.
    ///
    /// - Throws: ``TimeStampFault/malformed`` for attributes that cannot be read.
    package func archiveTimeStamps(limit: Int) throws(TimeStampFault) -> [[UInt8]] {
        do throws(GOSTError) { return try unsignedValues(of: ETSI.archiveTimeStamp, limit: limit) } catch {
            throw .malformed
        }
    }

    /// Whether it has an archive time stamp of a former kind, which is not verified here: TS 101 733, 6.4.1, and before.
    package var hasFormerArchiveTimeStamp: Bool {
        [CMS.archiveTimeStamp, CMS.archiveTimeStampV2].contains { type in
            (try? unsignedValues(of: type, limit: 1))?.isEmpty == false
        }
    }
}

extension SignedData {
    /// The hash functions by which archive time stamps need the content's digest. At most `limit` stamps are looked at.
    package func archiveDigests(limit: Int) -> [DigestAlgorithm] {
        var (left, found) = (limit, [DigestAlgorithm]())
        for signer in signers {
            let stamps = (try? signer.archiveTimeStamps(limit: left)) ?? []
            left -= stamps.count
            found += stamps.compactMap { try? TimeStampToken($0).digest }
        }
        return found
    }
}
