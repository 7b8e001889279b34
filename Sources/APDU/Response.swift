// SPDX-License-Identifier: Apache-2.0

import Secrets

/// A response APDU (ISO/IEC 7816-4, 5.1): data and status word.
package struct Response: Sendable, Equatable {
    package var data: [UInt8]
    package var status: StatusWord

    package init(_ status: StatusWord, data: [UInt8] = []) {
        self.data = data
        self.status = status
    }

    /// Reads a response as it came; nil if there are fewer than the two bytes of the status word.
    package init?(parsing bytes: ArraySlice<UInt8>) {
        guard bytes.count >= 2 else { return nil }
        data = Array(bytes.dropLast(2))
        status = StatusWord(bytes[bytes.endIndex - 2], bytes[bytes.endIndex - 1])
    }

    /// Reads a response as it came; nil if there are fewer than the two bytes of the status word.
    package init?(parsing bytes: [UInt8]) { self.init(parsing: bytes[...]) }

    /// The response as it is sent.
    package var encoded: [UInt8] { data + [status.sw1, status.sw2] }
}
