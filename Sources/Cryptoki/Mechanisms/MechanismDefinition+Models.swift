// SPDX-License-Identifier: Apache-2.0

import CCryptoki
import Token
import Tokens

/// The mechanisms of a token by its model: the list for programs, and what works, agree.
extension MechanismDefinition {
    /// The mechanisms of a token with these abilities, in the vendor's order.
    ///
    /// A token that computes nothing has none. Mechanisms that the host computes with keys read from such a token
    /// belong here, without `CKF_HW`.
    static func listed(with abilities: TokenAbilities) -> [MechanismDefinition] {
        all.compactMap { $0.limited(to: abilities) }
    }

    /// Whether the token's generation decides on the mechanism or its keys.
    private var dependsOnGeneration: Bool { usesCurves || usesRSA }

    private var usesCurves: Bool {
        switch work {
        case .keyPairGeneration(.ec), .signature(.ec, _), .keyDerivation(.ecdh): true
        default: false
        }
    }

    private var usesRSA: Bool {
        switch work {
        case .keyPairGeneration(.rsa), .rsa: true
        default: false
        }
    }

    /// The mechanism as a token with these abilities has it; nil if it does not.
    private func limited(to abilities: TokenAbilities) -> MechanismDefinition? {
        guard abilities.computes else { return abilities.hasContainers ? onHost : nil }
        guard !usesCurves || abilities.hasCurves else { return nil }
        guard usesRSA else { return self }
        var definition = self
        definition.keySizes = keySizes.clamped(to: 0...CK_ULONG(abilities.longestRSAKey))
        return definition
    }

    /// A mechanism that works with the token of a slot.
    ///
    /// - Throws: `CKR_MECHANISM_INVALID` for another, before a command to the token.
    static func find(_ type: CK_MECHANISM_TYPE, in slot: Slot) throws(CKError) -> MechanismDefinition {
        let definition = try find(type)
        guard let state = slot.token else { return definition }
        var abilities = state.abilities
        if abilities == nil, definition.dependsOnGeneration || state.keepsFiles {
            // The operation fails later if the caller may not query the token yet.
            abilities = try? slot.withToken { token throws(TokenError) in try token.abilities() }
        }
        guard let abilities else { return definition }
        guard let limited = definition.limited(to: abilities) else {
            guard abilities.computes else {
                throw .mechanismInvalid("\(mechanism: type): this token keeps files, and computes nothing")
            }
            throw .mechanismInvalid("\(mechanism: type): tokens of this generation have no keys of ECDSA")
        }
        return limited
    }
}

extension Slot {
    /// A mechanism that works with the token.
    func mechanism(_ type: CK_MECHANISM_TYPE) throws(CKError) -> MechanismDefinition {
        try MechanismDefinition.find(type, in: self)
    }
}
