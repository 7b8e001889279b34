// SPDX-License-Identifier: Apache-2.0

package import Secrets

/// A response APDU whose data are secret.
package struct SecretResponse: ~Copyable {
    package let status: StatusWord
    package let data: Secret

    package init(_ status: StatusWord, data: consuming Secret) {
        self.status = status
        self.data = data
    }
}
