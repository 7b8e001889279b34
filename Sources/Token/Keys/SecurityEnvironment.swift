// SPDX-License-Identifier: Apache-2.0

/// The security environment that MANAGE SECURITY ENVIRONMENT last set.
struct SecurityEnvironment: Equatable {
    let use: CardCommand.KeyUse
    /// The number of the key.
    let key: UInt8
}
