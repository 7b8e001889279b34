// SPDX-License-Identifier: Apache-2.0
package import SecureChannel
import Storage

extension Configuration {
    /// The location of the store.
    ///
    /// - Parameters:
    ///   - data: The directory for data of the user's programs; nil if the user has none.
    ///   - home: The user's home directory; nil if the user has none.
    ///   - groups: The directory of the directories that groups share.
    package func location(
        data: String?, home: String?, groups: String = "/var/lib/kanal/groups"
    ) -> PairingStore.Location {
        guard !isClosed else { return .unusable(.denied(.configuration)) }
        switch store {
        case .user:
            return data.map { .directory($0 + "/kanal/pairings") } ?? .nowhere
        case .application(let name):
            return data.map { .directory($0 + "/kanal/applications/" + name) } ?? .unusable(.notFound)
        case .groups(let names):
            guard let name = names.first else { return .unusable(.denied(.configuration)) }
            return .group(groups + "/" + name, memory: data.map { $0 + "/kanal/groups/" + name })
        case .synchronised(let path):
            guard let data else { return .unusable(.notFound) }
            let local = data + "/kanal/synchronised"
            guard path.hasPrefix("~/") else { return .synchronised(path, local: local) }
            return home.map { .synchronised($0 + path.dropFirst(), local: local) } ?? .unusable(.notFound)
        }
    }
}
