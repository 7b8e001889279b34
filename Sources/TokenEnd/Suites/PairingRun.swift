// SPDX-License-Identifier: Apache-2.0

import GOST

/// A pairing between its two commands (GSC/1, 8).
protocol PairingRun: AnyObject {
    /// R_T or u2.
    var share: [UInt8] { get }
    /// The tag of DATA_A and DATA_B: 84 in clear, 86 enciphered.
    var dataTag: UInt8 { get }

    /// Whether MAC_A belongs to the host's data as they came.
    func isValid(_ mac: [UInt8], of data: [UInt8]) -> Bool
    /// DATA_A.
    func open(_ data: [UInt8]) throws(GOSTError) -> [UInt8]
    /// DATA_B as it is sent, and MAC_B.
    func seal(_ answer: [UInt8], to data: [UInt8]) throws(GOSTError) -> (data: [UInt8], mac: [UInt8])
}
