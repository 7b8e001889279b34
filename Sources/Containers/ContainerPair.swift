// SPDX-License-Identifier: Apache-2.0
import GOST

/// The two files that have the keys: the same keys are in both pairs, under masks of their own.
package enum ContainerPair: CaseIterable, Sendable {
    case main
    case reserve

    package var masks: ContainerFile { self == .main ? .masks : .masks2 }
    package var primary: ContainerFile { self == .main ? .primary : .primary2 }
}
