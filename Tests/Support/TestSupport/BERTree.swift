// SPDX-License-Identifier: Apache-2.0

/// An element of DER as a tree, to be encoded in other ways that BER allows (X.690, 8).
package struct BERTree {
    package var tag: UInt8
    /// The contents of a primitive element; empty for a constructed one.
    package var contents: [UInt8] = []
    package var members: [BERTree] = []

    /// The way in which an element's length is written.
    package enum Length: CaseIterable, Sendable {
        /// In the fewest bytes.
        case definite
        /// In four bytes more than needed.
        case long
        /// Not at all, if the element is constructed.
        case indefinite
    }

    package var isConstructed: Bool { tag & 0x20 != 0 }

    /// - Parameter der: One element, in DER of one-byte tags; nil for anything else.
    package init?(_ der: [UInt8]) {
        var rest = der[...]
        guard let tree = BERTree(reading: &rest), rest.isEmpty else { return nil }
        self = tree
    }

    private init?(reading rest: inout ArraySlice<UInt8>) {
        guard let tag = rest.popFirst(), var length = rest.popFirst().map(Int.init) else { return nil }
        if length >= 0x80 {
            let count = length & 0x7F
            guard rest.count >= count else { return nil }
            length = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(count)
        }
        guard rest.count >= length else { return nil }
        self.tag = tag
        var inside = rest.prefix(length)
        rest = rest.dropFirst(length)
        guard isConstructed else {
            contents = Array(inside)
            return
        }
        while !inside.isEmpty {
            guard let member = BERTree(reading: &inside) else { return nil }
            members.append(member)
        }
    }

    /// The element, and those in it as far as `length` wants it: given their path from the outermost element on.
    package func encoded(
        path: [Int] = [], _ length: (_ path: [Int], _ element: BERTree) -> Length
    ) -> [UInt8] {
        let form = length(path, self)
        let inside =
            isConstructed
            ? members.enumerated().flatMap { $0.element.encoded(path: path + [$0.offset], length) } : contents
        if form == .indefinite, isConstructed { return [tag, 0x80] + inside + [0, 0] }
        var digits: [UInt8] = []
        var left = inside.count
        while left > 0 {
            digits.insert(UInt8(left & 0xFF), at: 0)
            left >>= 8
        }
        if form == .long { return [tag, 0x84 + UInt8(digits.count)] + [0, 0, 0, 0] + digits + inside }
        return inside.count < 0x80
            ? [tag, UInt8(inside.count)] + inside : [tag, 0x80 | UInt8(digits.count)] + digits + inside
    }

    /// A string in pieces of at most so many bytes.
    package func inPieces(of count: Int) -> BERTree {
        var string = self
        string.tag |= 0x20
        string.contents = []
        string.members = stride(from: 0, to: contents.count, by: count).map { begin in
            var piece = self
            piece.tag = 0x04
            piece.contents = Array(contents[begin..<min(begin + count, contents.count)])
            return piece
        }
        return string
    }

    /// The element at a path.
    package subscript(_ path: [Int]) -> BERTree {
        get { path.isEmpty ? self : members[path[0]][Array(path.dropFirst())] }
        set {
            if path.isEmpty { self = newValue } else { members[path[0]][Array(path.dropFirst())] = newValue }
        }
    }
}
