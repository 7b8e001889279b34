// SPDX-License-Identifier: Apache-2.0
package import GOST

/// Why a container or a key of it is refused.
package enum ContainerError: Error, Equatable, Sendable {
    /// A file is not there, or empty.
    case missing(ContainerFile)
    case damaged(ContainerFile, Damage)
    case unsupported(Feature)
    /// The checksum of header.key is wrong.
    case headerCode
    /// Mask and salt do not belong together.
    case maskCode(ContainerFile)
    /// The password is wrong.
    case password
    /// The container has a password, and none was given.
    case passwordNeeded
    /// The container has no password, and one was given.
    case passwordNotNeeded
    /// The key of the files is not the key that the container was made with.
    case key(Proof)
    /// GOST cannot compute: no memory.
    case failure(GOSTError)

    /// The fault of a file.
    package enum Damage: Sendable {
        /// Not the DER that the file has to hold.
        case encoding
        /// The file is shorter than its contents say, or longer than any.
        case length
        /// Bytes follow that are not filling.
        case filling
        /// The length of a part differs from the key's.
        case partLength
        /// The mask is 0 modulo q.
        case mask
        /// More or fewer keys than the header states.
        case keyCount
    }

    /// A kind of container that is not read.
    package enum Feature: Sendable, Equatable {
        /// Another form of container: keys of RSA and ECDSA, parts of keys, CryptoPro's first and oldest ones.
        case form
        /// An algorithm or a parameter set that is not known, or none that go together.
        case parameters
        /// The key is in the card, not in files.
        case keyInCard
        /// The key is shared with a card (FKC).
        case sharedKey
        /// A key file of another form, which has more than two keys.
        case keyFile(ContainerFile)
    }

    /// The proof that a key fails.
    package enum Proof: Sendable {
        /// The number is 0 modulo q.
        case number
        /// The public key does not begin with the fingerprint in the header.
        case fingerprint
        /// The public key is not the certificate's.
        case certificate
    }

    /// Whether the other pair of files may still give the key.
    package var isOfPair: Bool {
        switch self {
        case .missing(let file), .damaged(let file, _): file != .header && file != .name
        case .maskCode, .key, .unsupported(.keyFile): true
        default: false
        }
    }
}

extension ContainerError: CustomStringConvertible {
    /// The file and the cause, without anything of the container's contents.
    package var description: String {
        switch self {
        case .missing(let file): "\(file.fileName) is missing"
        case .damaged(let file, let damage): "\(file.fileName) is damaged: \(damage)"
        case .unsupported(let feature): "the container is not supported: \(feature)"
        case .headerCode: "header.key is damaged: its code is wrong"
        case .maskCode(let file): "\(file.fileName) is damaged: its code is wrong"
        case .password: "the container's password is wrong"
        case .passwordNeeded: "the container has a password"
        case .passwordNotNeeded: "the container has no password, and one was given"
        case .key(let proof): "the key in the container's files is not its own: \(proof)"
        case .failure(let error): "the key cannot be computed: \(error)"
        }
    }
}

extension ContainerError.Damage: CustomStringConvertible {
    package var description: String {
        switch self {
        case .encoding: "its encoding is malformed"
        case .length: "its length is wrong"
        case .filling: "unexpected bytes follow"
        case .partLength: "the length of a part differs from the key's"
        case .mask: "the mask is zero"
        case .keyCount: "the number of its keys differs from the header's"
        }
    }
}

extension ContainerError.Feature: CustomStringConvertible {
    package var description: String {
        switch self {
        case .form: "a form of container that is not read, for instance with RSA keys"
        case .parameters: "an unknown algorithm or parameter set"
        case .keyInCard: "the key is in the card, not in the container"
        case .sharedKey: "the key is shared with a card"
        case .keyFile(let file): "\(file.fileName) is of a form that is not read"
        }
    }
}

extension ContainerError.Proof: CustomStringConvertible {
    package var description: String {
        switch self {
        case .number: "its number is zero"
        case .fingerprint: "its public key does not have the fingerprint of the header"
        case .certificate: "its public key is not the certificate's"
        }
    }
}
