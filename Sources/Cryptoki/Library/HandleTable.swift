// SPDX-License-Identifier: Apache-2.0
import CCryptoki

/// Elements by handle, oldest first. A handle is never 0 and never given out twice.
///
/// Handles only grow, so that the newest is always last and each is found by binary search. Removed elements leave
/// gaps, until there are more gaps than elements. So no call slows down because there are many elements.
struct HandleTable<Element> {
    private var places: [(handle: CK_ULONG, element: Element?)] = []
    private var lastHandle: CK_ULONG = 0
    private(set) var count = 0
    /// The number of elements that were removed.
    private(set) var removals = 0
    private let notFound: CKError

    /// - Parameter notFound: The error for a handle without an element.
    init(notFound: CKError) { self.notFound = notFound }

    /// The elements, oldest first.
    var elements: [Element] { places.compactMap(\.element) }

    /// The handles of the elements that are wanted, oldest first.
    func handles(where isWanted: (Element) -> Bool) -> [CK_ULONG] {
        places.compactMap { place in place.element.map(isWanted) == true ? place.handle : nil }
    }

    /// Whether a handle has an element.
    func contains(_ handle: CK_ULONG) -> Bool { index(of: handle).map { places[$0].element != nil } ?? false }

    /// Whether an element is wanted.
    func contains(where isWanted: (Element) -> Bool) -> Bool {
        places.contains { place in place.element.map(isWanted) == true }
    }

    mutating func insert(_ element: Element) -> CK_ULONG {
        lastHandle &+= 1
        places.append((lastHandle, element))
        count += 1
        return lastHandle
    }

    subscript(handle: CK_ULONG) -> Element {
        get throws(CKError) {
            guard let index = index(of: handle), let element = places[index].element else { throw notFound }
            return element
        }
    }

    mutating func replace(_ handle: CK_ULONG, with element: Element) throws(CKError) {
        places[try occupied(handle)].element = element
    }

    @discardableResult
    mutating func remove(_ handle: CK_ULONG) throws(CKError) -> Element {
        let index = try occupied(handle)
        guard let element = places[index].element.take() else { throw notFound }
        count -= 1
        removals &+= 1
        if places.count > 2 * count { places.removeAll { $0.element == nil } }
        return element
    }

    mutating func removeAll(where isGone: (Element) -> Bool) {
        places.removeAll { place in place.element.map(isGone) ?? true }
        if places.count < count { removals &+= 1 }
        count = places.count
    }

    /// Replaces each element by the result of `body`; nil removes it.
    mutating func update(_ body: (Element) -> Element?) {
        for index in places.indices { places[index].element = places[index].element.flatMap(body) }
        removeAll { _ in false }
    }

    private func occupied(_ handle: CK_ULONG) throws(CKError) -> Int {
        guard let index = index(of: handle), places[index].element != nil else { throw notFound }
        return index
    }

    /// The place with a handle, found by binary search.
    private func index(of handle: CK_ULONG) -> Int? {
        var (low, high) = (0, places.count)
        while low < high {
            let middle = (low + high) / 2
            if places[middle].handle < handle { low = middle + 1 } else { high = middle }
        }
        return low < places.count && places[low].handle == handle ? low : nil
    }
}
