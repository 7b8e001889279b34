// SPDX-License-Identifier: Apache-2.0

import APDU
package import Secrets

/// Options for formatting a token.
package final class TokenFormat: Sendable {
    /// Receives the number of steps that are done, and the number of all.
    package typealias Progress = @Sendable (_ done: Int, _ total: Int) -> Void

    /// The range of a PIN's minimum length; no PIN is longer than its end.
    package static let minimumLengths = 6...249
    /// The ranges of tries.
    package static let officerTries = 3...10, userTries = 1...10
    /// The range of ``changePolicy``.
    package static let changePolicies = 1...3

    /// A PIN's value and limits after formatting.
    package struct PIN: ~Copyable, Sendable {
        package var value: Secret
        package var minimumLength: Int
        package var tries: Int

        package init(value: consuming Secret, minimumLength: Int = 6, tries: Int = 10) {
            self.value = value
            self.minimumLength = minimumLength
            self.tries = tries
        }
    }

    /// A key by which the token later proves that it comes from the party that restored its factory state.
    package final class EmitentKey: Sendable {
        /// The cipher: byte 1 of the key file's properties.
        package enum Algorithm: UInt8, Sendable {
            case magma = 0x01
            case kuznyechik = 0x02
        }

        let algorithm: Algorithm
        let value: Secret
        let tries: Int

        /// - Parameter value: 32 bytes.
        /// - Returns: nil if the value has a different length.
        package init?(_ algorithm: Algorithm, value: consuming Secret, tries: Int = 10) {
            guard value.count == 32 else { return nil }
            self.algorithm = algorithm
            self.value = value
            self.tries = tries
        }
    }

    let securityOfficer: PIN
    let user: PIN
    /// The roles that may change User's PIN: bit 0 SO, bit 1 User.
    let changePolicy: UInt8
    let label: [UInt8]
    /// Whether to format without the SO's PIN, because that one is blocked.
    package let isRepair: Bool
    /// Whether the token's factory state is restored, rather than its content only erased.
    let restoresFactoryState: Bool
    let emitentKey: EmitentKey?
    /// Whether key containers of other programs may be erased with the rest.
    let erasesContainers: Bool
    private let progress: Progress

    package init(
        securityOfficer: consuming PIN, user: consuming PIN, changePolicy: UInt8, label: [UInt8], isRepair: Bool,
        restoresFactoryState: Bool = false, emitentKey: EmitentKey? = nil, erasesContainers: Bool = false,
        progress: @escaping Progress = { _, _ in }
    ) {
        self.progress = progress
        self.securityOfficer = securityOfficer
        self.user = user
        self.changePolicy = changePolicy
        self.label = label
        self.isRepair = isRepair
        self.restoresFactoryState = restoresFactoryState
        self.emitentKey = emitentKey
        self.erasesContainers = erasesContainers
    }

    /// The steps of formatting. The token reports nothing between the command and the response of one.
    struct Steps {
        private let progress: Progress
        private let total: Int
        private var done = 0

        fileprivate init(_ total: Int, _ progress: @escaping Progress) {
            (self.total, self.progress) = (total, progress)
        }

        /// Reports that the next step is done.
        mutating func finishOne() {
            done += 1
            progress(done, total)
        }
    }

    /// Erasing, the directories, two PINs, the key, the end of initialisation, the files and the label.
    var steps: Steps { Steps(Directories.all.count + (emitentKey == nil ? 6 : 7), progress) }
}
