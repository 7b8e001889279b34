// SPDX-License-Identifier: Apache-2.0
package import TokenEnd

/// The state of the card that survives the loss of power. It has a property for each thing that is stored.
package struct CardState: Sendable {
    /// The name of the identity that the state belongs to.
    package let identity: String
    /// Eight bytes, big-endian.
    package let serial: [UInt8]
    /// Whether the token is being formatted: after an erase and until the end of initialisation.
    package var isInitialising = false
    package var fileSystem = FileSystem()
    /// Changes with every change, so that a host sees whether its knowledge is still true.
    package var changeCounter: UInt32 = 0
    /// The GOST signatures that the token ever made.
    package var signatureCounter: UInt32 = 0
    /// The record of the last GOST signature.
    package var journal: [UInt8]?
    /// Four licences of 72 bytes; empty if never written.
    package var licences = [[UInt8]](repeating: [], count: 4)
    /// Four bytes of flags; the first is 02 if the user must change the PIN.
    package var forcedChange: [UInt8] = [0, 0, 0, 0]
    /// The user PIN that a reset gives, if another than the standard one was set.
    package var defaultUserPIN: Sealed?
    /// Random bytes of the last format.
    package var formatNonce: [UInt8] = []
    /// The lasting state of the token's end of the secure channel, if it has one.
    package var channel: ChannelState?

    package init(identity: String, serial: [UInt8]) {
        self.identity = identity
        self.serial = serial
    }
}
