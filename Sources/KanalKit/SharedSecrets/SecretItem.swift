// SPDX-License-Identifier: Apache-2.0

import Configuration
import Logging
import SecureChannel
import Storage
import Token

/// The name by which a secret is found.
public struct SecretItem: Sendable, Hashable {
    /// The purpose of the secret, for instance the name of a server.
    public let service: String
    /// Whose it is; may be empty.
    public let account: String
    /// Whether it is a secret of all machines that replicate a directory, or of this machine alone.
    public let isSynchronised: Bool

    /// A name; see its properties.
    public init(service: String, account: String, isSynchronised: Bool) {
        (self.service, self.account, self.isSynchronised) = (service, account, isSynchronised)
    }

    init(_ name: SecretStore.Name, in store: SecretStore) {
        self.init(service: name.service, account: name.account, isSynchronised: !store.isOfMachine)
    }
}
