import CCryptoki

/// Elements by handle. A handle is never 0 and never given out twice.
struct HandleTable<Element> {
    private var elements: [CK_ULONG: Element] = [:]
    private var lastHandle: CK_ULONG = 0
    private let notFound: CKError

    /// - Parameter notFound: What a handle without an element means.
    init(notFound: CKError) { self.notFound = notFound }

    var count: Int { elements.count }

    /// All elements, oldest first.
    var ordered: [(handle: CK_ULONG, element: Element)] {
        elements.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    mutating func insert(_ element: Element) -> CK_ULONG {
        lastHandle &+= 1
        elements[lastHandle] = element
        return lastHandle
    }

    subscript(handle: CK_ULONG) -> Element {
        get throws(CKError) {
            guard let element = elements[handle] else { throw notFound }
            return element
        }
    }

    mutating func replace(_ handle: CK_ULONG, with element: Element) throws(CKError) {
        guard elements[handle] != nil else { throw notFound }
        elements[handle] = element
    }

    @discardableResult
    mutating func remove(_ handle: CK_ULONG) throws(CKError) -> Element {
        guard let element = elements.removeValue(forKey: handle) else { throw notFound }
        return element
    }

    mutating func removeAll(where isGone: (Element) -> Bool) {
        elements = elements.filter { !isGone($0.value) }
    }
}
