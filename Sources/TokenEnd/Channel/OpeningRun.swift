// SPDX-License-Identifier: Apache-2.0

import APDU
import GOST
import Secrets

/// The opening or renewal of a session that waits for OPEN-2 (GSC/1, 10).
struct OpeningRun {
    let record: Int
    let profile: ChannelProfile
    let hostIdentity: [UInt8]
    let instance: [UInt8]
    /// MAC_T, and the MAC_H that the host must show.
    let tokenMAC: [UInt8]
    let hostMAC: SharedSecret
    /// S_0 and K_exp.
    let seed: SharedSecret
    let exporter: SharedSecret

    /// Derives everything from the transcript TH and the shared value Z.
    init(
        record: Int, of host: PairingRecord, profile: ChannelProfile, instance: [UInt8], transcript: [UInt8],
        shared: borrowing Secret
    ) throws(GOSTError) {
        let suite = profile.suite
        let extracted = suite.authenticate(shared.bytes, key: Secret(copying: transcript))
        let keys = try suite.expand(extracted, label: "GSC1 keys", seed: transcript, count: 96)
        let confirmation = keys.extracting(0..<32)
        let tokenMAC = suite.authenticate(([0x02] + transcript).span, key: confirmation).extracting(0..<16)
        self.record = record
        self.profile = profile
        self.instance = instance
        self.tokenMAC = [UInt8](copying: tokenMAC)
        hostIdentity = host.hostIdentity
        hostMAC = SharedSecret(suite.authenticate(([0x01] + transcript).span, key: confirmation).extracting(0..<16))
        seed = SharedSecret(keys.extracting(32..<64))
        exporter = SharedSecret(keys.extracting(64..<96))
    }
}
