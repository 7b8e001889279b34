// SPDX-License-Identifier: Apache-2.0
import Foundation
package import Testing

extension Trait where Self == ConditionTrait {
    /// Skips a suite or a test where OpenSSL has no gost engine.
    package static var usesGOSTEngine: Self {
        .enabled(if: OpenSSL.hasGOST, "OpenSSL's gost engine is missing (packages openssl, libengine-gost-openssl)")
    }

    /// Skips a test that becomes another user, or changes the owner of files.
    package static var needsRoot: Self { .enabled(if: geteuid() == 0, "needs root") }
}
