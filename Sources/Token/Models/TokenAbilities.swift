// SPDX-License-Identifier: Apache-2.0

/// The computations of a token's model, as far as they decide on the mechanisms that a program is offered.
///
/// Nothing here is asked of a card that has shown it before: the family is in the answer to reset, the generation in
/// the versions that the token reports with its serial number.
package struct TokenAbilities: Sendable, Equatable {
    /// Whether it computes at all.
    package let computes: Bool
    /// The longest modulus of its RSA keys, in bits.
    package let longestRSAKey: Int
    /// Whether it has keys of ECDSA.
    package let hasCurves: Bool
    /// Whether a token that computes nothing has key containers.
    package var hasContainers = false

    /// A token that keeps files.
    package static let none = TokenAbilities(computes: false, longestRSAKey: 0, hasCurves: false)
    /// The same, with key containers, whose keys the host computes with.
    package static let containers = TokenAbilities(
        computes: false, longestRSAKey: 0, hasCurves: false, hasContainers: true)
    /// Rutoken ECP 2.0, as it was seen.
    package static let secondGeneration = TokenAbilities(computes: true, longestRSAKey: 2048, hasCurves: false)
    /// A token of this project that stands for Rutoken ECP 2.0.
    static let emulatedSecondGeneration = TokenAbilities(computes: true, longestRSAKey: 2048, hasCurves: true)
    /// Rutoken ECP 3.0, as it was seen; also every model whose mechanisms are unpublished.
    package static let all = TokenAbilities(computes: true, longestRSAKey: 4096, hasCurves: true)
}

extension ConnectedToken {
    /// The token's abilities, if they are known without a command; nil if the token has to be asked for its versions, or
    /// whether it is one of this project's.
    package var knownAbilities: TokenAbilities? {
        if session.isFolder { return .containers }
        guard session.identity.model != .lite else {
            return session.known.hasContainers.map { $0 ? .containers : .none }
        }
        guard let versions = session.known.versions else {
            // A token with a channel reports its serial number there, and its versions later.
            return session.identity.capabilities == nil && isPlain && !serial.isEmpty ? nil : .all
        }
        guard KnownModel.listing(of: model, versions) == .secondGeneration else { return .all }
        return session.known.isKanalToken.map { $0 ? .emulatedSecondGeneration : .secondGeneration }
    }

    /// The token's abilities. A token that reported its versions already is asked nothing, unless it is of the second
    /// generation.
    package func abilities() throws(TokenError) -> TokenAbilities {
        if let known = knownAbilities { return known }
        if model == .lite { return try hasContainers() ? .containers : .none }
        if session.known.versions == nil {
            let answer = try transaction(first: .read) { card throws(TokenError) in try card.answer(to: .flags) }
            session.takeVersions(from: answer ?? [])
            if session.known.versions == nil { session.known.versions = TokenVersions() }
        }
        if let known = knownAbilities { return known }
        _ = try supportsKanalCommands()
        return knownAbilities ?? .all
    }
}

extension CardSession {
    /// Reads the versions from data object 0189, if it is long enough.
    func takeVersions(from object: [UInt8]) {
        guard let versions = TokenVersions(parsing: object) else { return }
        known.versions = versions
    }
}

extension TokenVersions {
    /// The versions in data object 0189; nil if it is too short.
    init?(parsing object: [UInt8]) {
        guard object.count >= 10 else { return nil }
        hardware = TokenVersion(major: object[1], minor: 0)
        firmware = TokenVersion(major: object[4], minor: object[5])
        protocolNumber = Int(object[9])
    }
}
