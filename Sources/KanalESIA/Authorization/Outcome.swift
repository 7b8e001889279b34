// SPDX-License-Identifier: Apache-2.0

import KanalKit

/// How a request to a person, or to a program that asks one, ended.
public enum Outcome: String, Sendable, CaseIterable {
    /// The result was returned.
    case success
    /// The person refused.
    case cancel
    /// The answer was wrong or did not come in time, or something broke.
    case failure
    /// The program that asks is configured and not there, or cannot run.
    case notInstalled
    /// No way to ask is configured.
    case notConfigured
}
