// SPDX-License-Identifier: Apache-2.0
import GOST

/// A message with several signers, each of which has signed the same content.
package struct SignedMessages: Sendable {
    private let all: [SignedMessage]

    /// - Parameter all: One for each signer; their certificates all go with the message.
    package init(_ all: [SignedMessage]) { self.all = all }

    /// The parts of the message before and after the content, for content that is too long to be kept. The part before
    /// it depends on lengths alone.
    ///
    /// - Parameters:
    ///   - signatures: Of each signer, as PKCS #11 has it.
    ///   - contentCount: The bytes of the content; nil if it is detached.
    /// - Throws: ``HostCryptoError/invalidLength`` for a content of 4 GiB or more, whose length has more bytes than
    ///   readers take; ``HostCryptoError/invalidParameter`` for an algorithm that has no identifier here.
    package func ends(
        signatures: [[UInt8]], contentCount: Int?
    ) throws(HostCryptoError) -> (head: [UInt8], tail: [UInt8]) {
        let count = contentCount ?? 0
        guard (0..<1 << 32).contains(count) else { throw .invalidLength }
        let tail = try tail(signatures)
        let bytes =
            contentCount == nil ? [] : DERTag.context0.beginning(DERTag.octetString.header(count: count), rest: count)
        let content = DERTag.sequence.beginning(CMS.data + bytes, rest: count)
        let rest = count + tail.count
        let signedData = DERTag.sequence.beginning(beginning + content, rest: rest)
        let explicit = DERTag.context0.beginning(signedData, rest: rest)
        return (DERTag.sequence.beginning(CMS.signedData + explicit, rest: rest), tail)
    }

    /// The parts of the message before and after the content, for content whose length is unknown before its end: BER
    /// of indefinite length (X.690, 8.1.3.6), which programs for CMS read, too. Each piece of the content has
    /// ``SignedMessage/pieceHeader(count:)`` before it. The part before the content depends on the algorithms alone.
    ///
    /// - Parameter signatures: Of each signer, as PKCS #11 has it.
    /// - Throws: ``HostCryptoError/invalidParameter`` as ``ends(signatures:contentCount:)`` does.
    package func endsOfPieces(signatures: [[UInt8]]) throws(HostCryptoError) -> (head: [UInt8], tail: [UInt8]) {
        let (sequence, explicit, end): ([UInt8], [UInt8], [UInt8]) = ([0x30, 0x80], [0xA0, 0x80], [0, 0])
        let content = sequence + CMS.data + explicit + [0x24, 0x80]
        let head = sequence + CMS.signedData + explicit + sequence + beginning + content
        return (head, end + end + end + (try tail(signatures)) + end + end + end)
    }

    /// The beginning of the SignedData: the version and the hash functions.
    private var beginning: [UInt8] {
        DERTag.integer.element([1]) + Self.set(.set, all.map(\.digestIdentifier).eachOnce)
    }

    /// The part after the content: certificates and a SignerInfo for each signer.
    private func tail(_ signatures: [[UInt8]]) throws(HostCryptoError) -> [UInt8] {
        var infos: [[UInt8]] = []
        for (message, signature) in zip(all, signatures) { infos.append(try message.signerInfo(signature)) }
        return Self.set(.context0, all.flatMap(\.certificates).eachOnce) + Self.set(.set, infos)
    }

    /// A SET OF in DER: its members are sorted by their bytes (X.690, 11.6).
    private static func set(_ tag: DERTag, _ members: [[UInt8]]) -> [UInt8] {
        tag.element(Array(members.sorted { $0.lexicographicallyPrecedes($1) }.joined()))
    }
}

extension DERTag {
    /// The beginning of an element whose contents are these bytes and as many more.
    fileprivate func beginning(_ bytes: [UInt8], rest: Int) -> [UInt8] {
        header(count: bytes.count + rest) + bytes
    }
}
