// SPDX-License-Identifier: Apache-2.0

/// The exchange that the very next command may complete (GSC/1, 11.1, `pend`).
enum Handshake {
    case pairing(Pairing)
    case opening(OpeningRun)
    case renewal(channel: Int, OpeningRun)
}
