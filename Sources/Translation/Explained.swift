// SPDX-License-Identifier: Apache-2.0

/// An error that names in a phrase the cause and, if possible, the remedy.
package protocol Explained: Error, CustomStringConvertible {
    var explanation: Phrase { get }
}

extension Explained {
    package var description: String { explanation.description }
}
