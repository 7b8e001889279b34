// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Tokens

/// The mechanisms that key containers add to a token that computes nothing: the host computes them.
extension MechanismDefinition {
    /// The mechanism as the host computes it with a key of a container, or with a key that was agreed on with it, which opens
    /// messages; nil if it does not.
    var onHost: MechanismDefinition? {
        switch work {
        case .signature(.gostR3410, _), .signature(.gostR3410With512Bits, _), .keyDerivation(.vko2001),
            .keyDerivation(.vko2012256), .keyDerivation(.vko2012512), .keyDerivation(.keg), .keyWrapping, .keyTransport:
            var definition = self
            definition.flags &= ~CKF_HW
            return definition
        default: return nil
        }
    }
}
