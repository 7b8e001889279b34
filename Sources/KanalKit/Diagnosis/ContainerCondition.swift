// SPDX-License-Identifier: Apache-2.0
import Containers
import HostCrypto
import Token
import Tokens
package import Translation

/// A key container of CryptoPro CSP as its user may see it, and what is wrong with it.
package struct ContainerCondition: Sendable {
    /// Why a container, or a pair of its files, cannot be used.
    package struct Fault: Sendable, Equatable {
        /// A word that stays the same: `missing`, `damaged`, `unsupported`, `header-code`, `mask-code`, `key`, `closed`.
        package let word: String
        package let text: Phrase

        /// Whether the files are not what they were made to be.
        package var isDamage: Bool { word != "unsupported" && word != "closed" }

        package static func == (one: Self, other: Self) -> Bool { one.word == other.word }
    }

    /// A key of the container.
    package struct Key: Sendable {
        package let isForSignatures: Bool
        package let hasCertificate: Bool
        /// The ends of its period and of its certificate's, as seconds since 1970; nil for none, or an unreadable one.
        package let ends: [Int64]
    }

    /// Its public part.
    package let container: KeyContainer
    /// nil if it can be used.
    package let fault: Fault?
    package let needsPassword: Bool
    package let hasReserve: Bool
    package let keys: [Key]
    /// nil if the pair yields all keys, or was not tried.
    package let mainFault: Fault?
    package let reserveFault: Fault?

    fileprivate init(_ state: ContainerState) {
        container = KeyContainer(state.place)
        fault = state.fault.map(Fault.init)
        needsPassword = state.header?.needsPassword == true
        hasReserve = state.header?.hasReserve == true
        keys = state.header?.keys.map(Key.init) ?? []
        mainFault = state.pairFaults[.main].map { Fault(.container($0)) }
        reserveFault = state.pairFaults[.reserve].map { Fault(.container($0)) }
    }
}

extension ContainerCondition.Fault {
    fileprivate init(_ error: TokenError) {
        guard case .container(let fault) = error else {
            let closed: Phrase = "its files cannot be read with the user's PIN"
            (word, text) = ("closed", closed)
            return
        }
        text = Reason(error, after: nil).phrase
        word =
            switch fault {
            case .missing: "missing"
            case .damaged, .failure: "damaged"
            case .unsupported: "unsupported"
            case .headerCode: "header-code"
            case .maskCode: "mask-code"
            case .password, .passwordNeeded, .passwordNotNeeded: "password"
            case .key: "key"
            }
    }
}

extension ContainerCondition.Key {
    fileprivate init(_ key: ContainedKey) {
        isForSignatures = key.role == .signature
        hasCertificate = key.certificate != nil
        let certificate = key.certificate.flatMap { Self.end(ofCertificate: $0) }
        ends = [key.period?.end.flatMap { CalendarTime.seconds(of: $0) }.map { Int64($0) }, certificate].compactMap(
            \.self)
    }

    private static func end(ofCertificate der: [UInt8]) -> Int64? {
        (try? Certificate(der: der.span)).flatMap { try? $0.validity.notAfter }.map { Int64($0) }
    }
}

extension Session {
    /// The key containers on the token with what is wrong with them, those that show no keys as well.
    ///
    /// - Parameter openingKeys: Whether each key without a password is opened.
    package func containerConditions(openingKeys: Bool) throws(KanalError) -> [ContainerCondition] {
        let states = try call { session throws(TokensError) in
            try session.withToken { token throws(TokenError) in
                try token.hasContainers() ? try token.containerStates(openingKeys: openingKeys) : []
            }
        }
        return states.map(ContainerCondition.init)
    }
}
