// SPDX-License-Identifier: Apache-2.0

import GOST
import Secrets

/// The token's part of an opening between its choice and the agreement (GSC/1, 10).
protocol Contribution: AnyObject {
    /// C_T.
    var bytes: [UInt8] { get }

    /// Z.
    func agree(
        tokenKey: borrowing PrivateKey, host: PublicKey, hostContribution: [UInt8], transcript: [UInt8]
    ) throws(GOSTError) -> Secret
}
