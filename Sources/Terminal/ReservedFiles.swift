// SPDX-License-Identifier: Apache-2.0

/// Files that will be read. No result replaces one, as if they were open.
package final class ReservedFiles: Sendable {
    private let identities: [FileIdentity]

    /// - Parameter paths: Names. Pipes, and files that are not there, count for nothing.
    package init(_ paths: [String]) {
        identities = paths.compactMap(FileIdentity.init(of:))
        for identity in identities { InputFile.count(identity, by: 1) }
    }

    deinit { for identity in identities { InputFile.count(identity, by: -1) } }
}
