// SPDX-License-Identifier: Apache-2.0
import Containers

/// A container, as everybody may see it.
package struct ContainerPlace: Sendable, Equatable {
    /// Its directory.
    package let directory: UInt16
    /// Empty if the token does not report it.
    package let name: String
}
