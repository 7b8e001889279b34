// SPDX-License-Identifier: Apache-2.0

import CHostProcess
import CProcess
import Glibc

/// Words for a function of C: an array of C strings that ends with NULL.
///
/// They are made and freed here. Memory that the C library allocates by itself (strdup(3)) may come from a different
/// allocator than the one this library was bound to (`RTLD_DEEPBIND`).
@safe
package final class CStrings {
    package let pointer: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    package let count: Int

    package init(_ words: [String]) {
        count = words.count
        unsafe pointer = .allocate(capacity: words.count + 1)
        for (index, word) in words.enumerated() {
            let bytes = word.utf8
            let text = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count + 1)
            for (place, byte) in bytes.enumerated() { unsafe text[place] = CChar(bitPattern: byte) }
            unsafe text[bytes.count] = 0
            unsafe (pointer + index).initialize(to: text)
        }
        unsafe (pointer + words.count).initialize(to: nil)
    }

    deinit {
        for index in 0..<count { unsafe pointer[index]?.deallocate() }
        unsafe pointer.deallocate()
    }
}
