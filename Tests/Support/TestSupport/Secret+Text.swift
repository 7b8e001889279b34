// SPDX-License-Identifier: Apache-2.0
package import Secrets

extension Secret {
    package static func of(_ text: String) -> Secret { Secret(copying: Array(text.utf8)) }
}
