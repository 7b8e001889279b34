// SPDX-License-Identifier: Apache-2.0
package import APDU
package import Containers
package import Storage

/// Why an emulated card could not be made or its memory not be used.
package enum EmulatorError: Error, Sendable, Equatable {
    /// The directory of the state cannot be used.
    case storage(StorageError)
    /// The stored state is damaged. It stays as it is.
    case stateCorrupt
    /// The stored state was written by another version of the emulator.
    case stateVersion(Int)
    /// The stored state belongs to a token of another identity.
    case stateIdentity(String)
    /// The stored state belongs to a token with another serial number.
    case stateSerial
    /// A serial number is not four or eight bytes long.
    case invalidSerial
    /// An activation password is malformed, too short for the token's profiles, or names a slot that another names too.
    case invalidActivationPassword
    /// The label is longer than 255 bytes.
    case invalidLabel
    /// The operating system could not deliver random bytes.
    case randomUnavailable
    /// A cryptographic primitive failed.
    case cryptography
    /// A file of a container cannot be read.
    case folder(StorageError)
    /// A container that cannot be used.
    case container(ContainerError)
    /// The card refused a command of another program, for instance as User's PIN is blocked or the memory is full.
    case refused(StatusWord)
}

extension EmulatorError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .storage(let error): "the state directory cannot be used: \(error)"
        case .stateCorrupt: "the stored state is damaged; it was left untouched"
        case .stateVersion(let version): "the stored state has version \(version), which this emulator does not know"
        case .stateIdentity(let name): "the stored state belongs to a token of identity '\(name)'"
        case .stateSerial: "the stored state belongs to a token with another serial number"
        case .invalidSerial: "a serial number is 8 or 16 hexadecimal digits"
        case .invalidActivationPassword:
            "an activation password is 16 to 32 symbols (12 to 32 without the classic profile) of A-N, P-Z and 1-9,"
                + " begins with 1-6 or A-F, and each fills another slot"
        case .invalidLabel: "a label has at most 255 bytes"
        case .randomUnavailable: "the operating system delivers no random bytes"
        case .cryptography: "a cryptographic primitive failed"
        case .folder(let error): "a file of the container cannot be read: \(error)"
        case .container(let error): "\(error)"
        case .refused(let status): "the token refuses the container: \(status)"
        }
    }
}
