// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

/// The bytes of a message around its content, to which signatures are added. All other bytes stay but the lengths around
/// the new ones, also in a message in BER.
package struct SignedDataParts: Sendable, Equatable {
    /// An element that begins before the content.
    struct Frame: Sendable, Equatable {
        /// The place of its tag and length.
        let header: Range<Int>
        /// The number of bytes of its contents; nil for an indefinite length.
        let count: Int?
    }

    /// The bytes before the content, and behind it.
    package let head, tail: [UInt8]
    /// The number of bytes between them: the content, or its pieces with their headers.
    package let bodyCount: Int
    package let hasContent: Bool
    /// The elements that the whole message is in, from the outermost on.
    private let frames: [Frame]
    /// The places of the names of hash functions in the head, and in the tail of certificates, if there are any, and of
    /// signers.
    private let algorithms, certificates, signers: Range<Int>

    /// - Parameters:
    ///   - contentEnd: The place in the tail behind the elements that only the content is in.
    init(
        head: [UInt8], bodyCount: Int, tail: [UInt8], frames: [Frame], algorithms: Range<Int>, hasContent: Bool,
        contentEnd: Int
    ) throws(GOSTError) {
        (self.head, self.bodyCount, self.hasContent, self.tail) = (head, bodyCount, hasContent, tail)
        (self.frames, self.algorithms) = (frames, algorithms)
        guard contentEnd <= tail.count else { throw .invalidEncoding }
        var reader = DERReader(tail.span.extracting(droppingFirst: contentEnd), .ber)
        if reader.isAt(.context0) { try reader.skip() }
        certificates = contentEnd..<tail.count - reader.count
        if reader.isAt(.context1) { try reader.skip() }
        let begin = tail.count - reader.count
        guard reader.isAt(.set) else { throw .invalidEncoding }
        try reader.skip()
        signers = begin..<tail.count - reader.count
    }

    /// The message with more signatures.
    ///
    /// - Throws: ``HostCryptoError/invalidEncoding``; ``HostCryptoError/invalidLength`` for a message that would have
    ///   4 GiB or more, whose length has more bytes than readers take.
    package func adding(_ added: AddedSignatures) throws(HostCryptoError) -> (head: [UInt8], tail: [UInt8]) {
        do throws(GOSTError) { return try changed(added) } catch { throw HostCryptoError(error) }
    }

    private func changed(_ added: AddedSignatures) throws(GOSTError) -> (head: [UInt8], tail: [UInt8]) {
        let names = MemberSet(try ElementParts(Array(head[algorithms])))
        let known = try names.members().compactMap { try? MessageOrder.oid(of: $0) }
        let newNames = added.algorithms.eachOnce.filter { identifier in
            guard let name = try? MessageOrder.oid(of: identifier) else { return true }
            return !known.contains(name)
        }
        let newAlgorithms = try names.adding(newNames)

        var newCertificates = Array(tail[certificates])
        if !added.certificates.isEmpty {
            let empty = DERTag.context0.element([])
            let set = MemberSet(try ElementParts(newCertificates.isEmpty ? empty : newCertificates))
            let present = try set.members()
            newCertificates = try set.adding(added.certificates.eachOnce.filter { !present.contains($0) })
        }
        let set = MemberSet(try ElementParts(Array(tail[signers])))
        let newSigners = try set.adding(added.signers) { place, signer throws(GOSTError) in
            try Self.extended(signer, by: added.unsignedAttributes[place] ?? [])
        }

        let newTail =
            tail[..<certificates.lowerBound] + newCertificates + tail[certificates.upperBound..<signers.lowerBound]
            + newSigners + tail[signers.upperBound...]
        var growth = newAlgorithms.count - algorithms.count + newTail.count - tail.count
        // Each length is of all that is in its element, the new lengths of others as well.
        var (inner, end) = (newAlgorithms + head[algorithms.upperBound...], algorithms.lowerBound)
        for frame in frames.reversed() {
            let between = head[frame.header.upperBound..<end]
            var header = Array(head[frame.header])
            if let count = frame.count {
                guard count + growth < 1 << 32 else { throw .invalidLength }
                let new = ElementParts.header(header[0], count: count + growth)
                growth += new.count - header.count
                header = new
            }
            inner = header + between + inner
            end = frame.header.lowerBound
        }
        return (Array(head[..<end]) + inner, Array(newTail))
    }

    /// A SignerInfo with further unsigned attributes.
    private static func extended(_ signer: [UInt8], by attributes: [[UInt8]]) throws(GOSTError) -> [UInt8] {
        guard !attributes.isEmpty else { return signer }
        let info = try ElementParts(signer)
        var reader = DERReader(info.contents.span, .ber)
        while !reader.isAtEnd, !reader.isAt(.context1) { try reader.skip() }
        let place = info.contents.count - reader.count
        let unsigned = place == info.contents.count ? DERTag.context1.element([]) : Array(info.contents[place...])
        let changed = try MemberSet(try ElementParts(unsigned)).adding(attributes)
        return info.with(contents: info.contents[..<place] + changed)
    }
}

/// An element with members (SET OF), to which others are added.
private struct MemberSet {
    private let element: ElementParts

    init(_ element: ElementParts) { self.element = element }

    /// Each in the bytes that it has.
    func members() throws(GOSTError) -> [[UInt8]] {
        let contents = element.contents
        var reader = DERReader(contents.span, .ber)
        var members: [[UInt8]] = []
        while !reader.isAtEnd {
            let begin = contents.count - reader.count
            try reader.skip()
            members.append(Array(contents[begin..<contents.count - reader.count]))
        }
        return members
    }

    /// The element with further members. Members that are sorted, as in DER, stay so.
    ///
    /// - Parameter change: Changes a present member, by its number.
    func adding(
        _ new: [[UInt8]],
        changing change: (Int, [UInt8]) throws(GOSTError) -> [UInt8] = { _, member throws(GOSTError) in member }
    ) throws(GOSTError) -> [UInt8] {
        let present = try members()
        var members: [[UInt8]] = []
        for (place, member) in present.enumerated() { members.append(try change(place, member)) }
        let isSorted = zip(present, present.dropFirst()).allSatisfy { !$1.lexicographicallyPrecedes($0) }
        members += new
        if isSorted { members.sort { $0.lexicographicallyPrecedes($1) } }
        return element.with(contents: members.joined())
    }
}

/// An element as it is encoded.
private struct ElementParts {
    private let tag: UInt8
    private let isIndefinite: Bool
    let contents: [UInt8]

    init(_ element: [UInt8]) throws(GOSTError) {
        guard let header = try ElementHeader(element.span, .ber) else { throw .invalidEncoding }
        tag = header.tag
        isIndefinite = header.length == nil
        let end = isIndefinite ? element.count - 2 : element.count
        guard header.count <= end else { throw .invalidEncoding }
        contents = Array(element[header.count..<end])
    }

    /// The same element with other contents; an indefinite length stays.
    func with(contents: some Sequence<UInt8>) -> [UInt8] {
        let bytes = Array(contents)
        return isIndefinite ? [tag, 0x80] + bytes + [0, 0] : Self.header(tag, count: bytes.count) + bytes
    }

    static func header(_ tag: UInt8, count: Int) -> [UInt8] { [tag] + DERTag.sequence.header(count: count).dropFirst() }
}

extension [[UInt8]] {
    /// Without those that are there already, in the same order.
    var eachOnce: Self { reduce(into: []) { all, next in if !all.contains(next) { all.append(next) } } }
}
