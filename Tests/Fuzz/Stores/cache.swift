// SPDX-License-Identifier: Apache-2.0
import APDU
import Token

/// A token's files in the disk cache, as if the seal had passed anything: refused, or unchanged by a round trip. Then
/// the input as a truncated record.
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
