// SPDX-License-Identifier: Apache-2.0
import APDU

/// A change of the sessions after a reply.
enum PostReplyAction {
    case none
    case close
    case unpair(record: Int)
    case reset
    case renew(OpeningRun)
}
