// SPDX-License-Identifier: Apache-2.0
package import Containers
import Secrets

/// A container as User may see it, and what is wrong with it.
package struct ContainerState: Sendable {
    package let place: ContainerPlace
    /// nil if the container cannot be used.
    package fileprivate(set) var header: ContainerHeader?
    /// Why it cannot be used: the fault of its header.
    package fileprivate(set) var fault: TokenError?
    /// The faults of its pairs of files with keys, if these were opened. Without the password of a container they cannot be.
    package fileprivate(set) var pairFaults: [ContainerPair: ContainerError] = [:]

    fileprivate init(_ place: ContainerPlace) { self.place = place }
}

extension ConnectedToken {
    /// All containers, those that a search passes over as well. Needs User's login.
    ///
    /// - Parameter openingKeys: Whether each key is opened, by each pair of files, where no password is needed.
    package func containerStates(openingKeys: Bool) throws(TokenError) -> [ContainerState] {
        try transaction(first: .read) { card throws(TokenError) in
            try card.requireLogin(.user)
            return try card.containerStates(openingKeys: openingKeys)
        }
    }
}

extension Transaction {
    fileprivate func containerStates(openingKeys: Bool) throws(TokenError) -> [ContainerState] {
        var states: [ContainerState] = []
        for place in try containers() {
            try spend(files: openingKeys ? 6 : 2)
            var state = ContainerState(place)
            do throws(TokenError) {
                let container = try currentContainer(place.directory)
                state.header = container.header
                if openingKeys, !container.header.needsPassword {
                    for pair in container.header.hasReserve ? [ContainerPair.main, .reserve] : [.main] {
                        state.pairFaults[pair] = try fault(of: pair, container, in: place.directory)
                    }
                }
            } catch {
                switch error {
                case .container, .notLoggedIn, .refused: state.fault = error
                case .notFound: state.fault = .container(.missing(.header))
                default: throw error
                }
            }
            states.append(state)
        }
        return states
    }
}
