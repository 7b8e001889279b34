// SPDX-License-Identifier: Apache-2.0
package import Containers

/// The key in a container that an object of the token is: a half of its pair, or its certificate.
package struct ContainerReference: Sendable, Equatable {
    /// The container's directory.
    package let directory: UInt16
    package let key: ContainedKey
    /// Whether the container has a password of its own, which each use of the key needs.
    package let needsPassword: Bool
}

extension FilePath {
    /// The directory of CryptoPro CSP's containers, each of which is a directory in it.
    static let containers: FilePath = [0x1000, 0x1003]

    /// A file of a container. The first byte of its identifier is the same as in the directory's.
    ///
    /// - Parameter directory: The container's.
    static func container(_ directory: UInt16, _ file: ContainerFile) -> FilePath {
        containers.file(directory).file(directory & 0xFF00 | UInt16(file.rawValue))
    }
}

extension TokenError {
    /// The reason why a container's key could not be used.
    init(_ error: ContainerError) {
        self = error == .passwordNeeded ? .notLoggedIn : .container(error)
    }
}
