// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Cryptoki
import Glibc

/// A place for a result that the library allocates and the caller releases with `C_EX_FreeBuffer`.
@safe
struct AllocatedOutput<Element: BitwiseCopyable> {
    private let buffer: UnsafeMutablePointer<UnsafeMutablePointer<Element>?>
    private let count: UnsafeMutablePointer<CK_ULONG>

    /// - Throws: `CKR_ARGUMENTS_BAD` if the place for the result or its length is NULL.
    init(
        _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<Element>?>?, _ count: UnsafeMutablePointer<CK_ULONG>?,
        _ names: StaticString = "the place for the result or its length"
    ) throws(CKError) {
        unsafe self.buffer = try unsafe output(buffer, names)
        unsafe self.count = try unsafe output(count, names)
    }

    /// - Throws: `CKR_HOST_MEMORY`, with nothing stored.
    func store(_ elements: [Element]) throws(CKError) {
        unsafe buffer.pointee = try unsafe allocated(elements)
        unsafe count.pointee = CK_ULONG(elements.count)
    }

    /// Stores NULL and the count 0. There is nothing to release.
    func storeNothing() {
        unsafe buffer.pointee = nil
        unsafe count.pointee = 0
    }

    /// Releases the stored result.
    func clear() {
        unsafe free(buffer.pointee)
        storeNothing()
    }
}

/// A copy on the C heap, which `free` releases.
///
/// - Throws: `CKR_HOST_MEMORY`.
func allocated<Element: BitwiseCopyable>(_ elements: [Element]) throws(CKError) -> UnsafeMutablePointer<Element> {
    let size = elements.count * MemoryLayout<Element>.stride
    guard let memory = unsafe malloc(max(size, 1)) else { throw CKError(CKR_HOST_MEMORY) }
    let start = unsafe memory.bindMemory(to: Element.self, capacity: elements.count)
    for (index, element) in elements.enumerated() { unsafe start[index] = element }
    return unsafe start
}
