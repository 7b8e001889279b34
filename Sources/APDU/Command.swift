// SPDX-License-Identifier: Apache-2.0
package import Secrets

/// A command APDU (ISO/IEC 7816-4, 5.1).
///
/// The data may hold a PIN, so it is a `Secret`, and a command is moved or borrowed, never copied by accident.
package struct Command: ~Copyable, Sendable {
    package var cla: UInt8
    package var ins: UInt8
    package var p1: UInt8
    package var p2: UInt8
    /// The command data; empty means that Lc is absent.
    package var data: Secret
    /// The greatest number of response bytes wanted, or nil if Le is absent. 256 is sent as Le 00.
    package var ne: Int?

    package init(
        _ cla: UInt8, _ ins: UInt8, _ p1: UInt8, _ p2: UInt8, data: consuming Secret = Secret(count: 0), ne: Int? = nil
    ) {
        self.cla = cla
        self.ins = ins
        self.p1 = p1
        self.p2 = p2
        self.data = data
        self.ne = ne
    }

    /// A command with data that is not secret.
    package init(_ cla: UInt8, _ ins: UInt8, _ p1: UInt8, _ p2: UInt8, bytes: [UInt8], ne: Int? = nil) {
        self.init(cla, ins, p1, p2, data: Secret(copying: bytes), ne: ne)
    }
}
