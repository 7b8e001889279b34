// SPDX-License-Identifier: Apache-2.0
package import Translation

extension SharedSecrets {
    /// Changes of the group's secrets, in the directory if there is one: changes by other programs of this
    /// machine, and values that come from other machines. The sequence begins with the next change and ends when its task
    /// is cancelled.
    ///
    /// The directory is looked at again and again, because no system reports files that come over a network. A file
    /// that has not come whole yet is not an event: the value is reported as soon as it can be read.
    ///
    /// - Parameter interval: The time between two looks.
    public func events(every interval: Duration = .seconds(2)) -> SecretEvents {
        SecretEvents(secrets: self, interval: interval)
    }

    /// The value of a secret, which may not have come yet from another machine.
    ///
    /// - Parameter patience: The longest wait for it. A value that cannot be read yet is waited for, too.
    /// - Throws: ``SharedSecretsError/notFound`` if it has not come; as ``read(service:account:synchronised:)``.
    public func read(
        service: String, account: String, synchronised: Bool? = nil, waitingFor patience: Duration,
        every interval: Duration = .seconds(1)
    ) async throws(SharedSecretsError) -> SecretBytes {
        let deadline = ContinuousClock.now + patience
        while true {
            do throws(SharedSecretsError) {
                return try await read(service: service, account: account, synchronised: synchronised)
            } catch {
                guard [.notFound, .damaged, .directoryMissing].contains(error), ContinuousClock.now < deadline else {
                    throw error
                }
            }
            let pause = min(interval, deadline - .now)
            do { try await Task.sleep(for: max(pause, .milliseconds(10))) } catch { throw .cancelled }
        }
    }
}

/// A change of the secrets of an access group.
public enum SecretEvent: Sendable, Hashable {
    /// There is a secret that was not there before.
    case added(SecretItem)
    /// A secret has a new value.
    case changed(SecretItem)
    /// A secret was deleted.
    case deleted(SecretItem)
}

extension SecretEvent: CustomStringConvertible {
    /// The event in words, for people. The secret's value is not in it.
    public var description: String { explanation.description }

    package var explanation: Phrase {
        switch self {
        case .added(let item): "there is a secret \(item.caption)"
        case .changed(let item): "the secret \(item.caption) has another value"
        case .deleted(let item): "the secret \(item.caption) was deleted"
        }
    }
}

extension SecretItem {
    fileprivate var caption: Phrase { Phrase(verbatim: account.isEmpty ? service : "\(service) \(account)") }
}

/// The changes of the secrets of an access group; see ``SharedSecrets/events(every:)``.
public struct SecretEvents: AsyncSequence, Sendable {
    let secrets: SharedSecrets
    let interval: Duration

    /// Begins with the next change.
    public func makeAsyncIterator() -> Iterator { Iterator(secrets: secrets, interval: interval) }

    /// Looks at the secrets until something has changed.
    public struct Iterator: AsyncIteratorProtocol {
        let secrets: SharedSecrets
        let interval: Duration
        private var known: [SecretItem: [UInt8]]?
        /// The last first.
        private var found: [SecretEvent] = []

        init(secrets: SharedSecrets, interval: Duration) { (self.secrets, self.interval) = (secrets, interval) }

        /// The next change; nil if the task is cancelled.
        ///
        /// - Throws: ``SharedSecretsError`` if the secrets cannot be looked at.
        public mutating func next() async throws -> SecretEvent? {
            while found.isEmpty {
                let present: [SecretItem: [UInt8]]
                do throws(SharedSecretsError) { present = try await secrets.marks() } catch {
                    if error == .cancelled { return nil }
                    // A store that another process works with is looked at later.
                    guard error == .busy else { throw error }
                    guard await pause() else { return nil }
                    continue
                }
                if let known { found = Self.changes(known, present).reversed() }
                known = present
                if found.isEmpty, await !pause() { return nil }
            }
            return found.removeLast()
        }

        private func pause() async -> Bool { (try? await Task.sleep(for: interval)) != nil }

        /// Sorted by service and account.
        private static func changes(
            _ former: [SecretItem: [UInt8]], _ present: [SecretItem: [UInt8]]
        ) -> [SecretEvent] {
            Set(former.keys).union(present.keys).sorted { ($0.service, $0.account) < ($1.service, $1.account) }
                .compactMap { item in
                    switch (former[item], present[item]) {
                    case (nil, _?): .added(item)
                    case (_?, nil): .deleted(item)
                    case (let old?, let new?): old == new ? nil : .changed(item)
                    case (nil, nil): nil
                    }
                }
        }
    }
}
