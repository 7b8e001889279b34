// SPDX-License-Identifier: Apache-2.0

import APDU

/// How a field session ends.
public enum FieldOutcome: Sendable, Equatable {
    /// The work is done.
    case success
    /// The text is shown to the user.
    case failure(String)
}
