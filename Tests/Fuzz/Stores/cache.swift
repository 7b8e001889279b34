// SPDX-License-Identifier: Apache-2.0
import APDU
import Token

/// What is kept of a token's files on the disk, as if a seal had let anything through: refused, or the same when it is
/// written and read again. Then the input as a record of which only the beginning was read.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCache(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    if let files = KnownFiles(parsing: input) {
        let encoded = files.encoded
        guard encoded.count <= input.count, KnownFiles(parsing: encoded) == files else { fatalError("other files") }
    }
    if let value = ObjectRecord(parsing: input, isStart: true)?.unreadValue {
        guard value.lowerBound <= input.count, value.upperBound > input.count else { fatalError("a value elsewhere") }
    }
    return 0
}
