// SPDX-License-Identifier: Apache-2.0

package import CCryptoki
import HostCrypto
import Token
import Tokens

/// A mechanism, with the parameter's bytes.
package struct Mechanism: Sendable {
    package var type: CK_MECHANISM_TYPE
    package var parameter: [UInt8]
    /// The parameter's contents if it is a structure with pointers.
    package var structure: MechanismParameters?

    package init(type: CK_MECHANISM_TYPE, parameter: [UInt8], structure: MechanismParameters? = nil) {
        self.type = type
        self.parameter = parameter
        self.structure = structure
    }
}
