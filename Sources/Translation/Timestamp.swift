// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A point in time, as people and programs read it: in UTC, by ISO 8601.
package struct Timestamp: Sendable {
    /// Since 1970.
    package let seconds: Int64

    package init(_ seconds: Int64) { self.seconds = seconds }

    /// `2026-03-31T12:00:00Z`
    package var text: String { formatted("%Y-%m-%dT%H:%M:%SZ") }

    /// `2026-03-31`
    package var day: String { formatted("%Y-%m-%d") }

    private func formatted(_ format: String) -> String {
        var time = time_t(seconds)
        var parts = unsafe tm()
        guard unsafe gmtime_r(&time, &parts) != nil else { return "\(seconds)" }
        var text = [CChar](repeating: 0, count: 40)
        let count = unsafe strftime(&text, text.count, format, &parts)
        return String(decoding: text.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
