// SPDX-License-Identifier: Apache-2.0

/// Bytes from outside ended too early, or are not what their format prescribes.
package struct MalformedBytes: Error, Sendable, Equatable {
    package init() {}
}
