// SPDX-License-Identifier: Apache-2.0

package import APDU

/// A card, or its end of the channel, refuses a command with this status word.
package struct Refusal: Error {
    package let status: StatusWord

    package init(_ status: StatusWord) { self.status = status }
}
