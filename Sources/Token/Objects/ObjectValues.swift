// SPDX-License-Identifier: Apache-2.0

/// The objects whose values a search reads.
package enum ObjectValues: Sendable {
    case none
    case certificates
    /// Certificates and data objects.
    case all

    /// Whether a search reads an object's value.
    func includes(_ object: TokenObject) -> Bool {
        switch self {
        case .none: false
        case .certificates: if case .certificate = object.content { true } else { false }
        case .all: true
        }
    }
}
