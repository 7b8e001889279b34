import GOST
import Secrets

/// What the very next command may complete (GSC/1, 11.1, `pend`).
enum Handshake: ~Copyable {
    case pairing(PairingRun)
    case opening(OpeningRun)
    case renewal(channel: Int, OpeningRun)
}

/// A pairing of the classic profile between its two commands (GSC/1, 8).
struct PairingRun: ~Copyable {
    let slot: Int
    /// ID_H as PAIR-1 gave it.
    let hostIdentity: [UInt8]
    /// TP.
    let transcript: [UInt8]
    /// KeA, KmA, KeB, KmB.
    let hostCipher: Secret
    let hostMAC: Secret
    let tokenCipher: Secret
    let tokenMAC: Secret

    init(slot: Int, hostIdentity: [UInt8], transcript: [UInt8], verifier: Sealed) throws(GOSTError) {
        let keys = try Classic.expand(
            verifier.secret, label: "GSC1 pair", seed: Classic.hash(transcript), count: 128)
        self.slot = slot
        self.hostIdentity = hostIdentity
        self.transcript = transcript
        hostCipher = keys.extracting(0..<32)
        hostMAC = keys.extracting(32..<64)
        tokenCipher = keys.extracting(64..<96)
        tokenMAC = keys.extracting(96..<128)
    }
}

/// The opening or renewal of a session between its two commands (GSC/1, 10).
struct OpeningRun: ~Copyable {
    let record: Int
    let hostIdentity: [UInt8]
    let instance: [UInt8]
    /// MAC_T, and the MAC_H that the host must show.
    let tokenMAC: Secret
    let hostMAC: Secret
    /// S_0 and K_exp.
    let seed: Secret
    let exporter: Secret

    /// Derives everything from the transcript TH and the shared value Z.
    init(
        record: Int, hostIdentity: [UInt8], instance: [UInt8], transcript: [UInt8], shared: borrowing Secret
    ) throws(GOSTError) {
        let extracted = HMAC<Classic.Hash>.authenticate(shared.bytes, key: transcript.span)
        let keys = try Classic.expand(extracted, label: "GSC1 keys", seed: transcript, count: 96)
        let confirmation = keys.extracting(0..<32)
        self.record = record
        self.hostIdentity = hostIdentity
        self.instance = instance
        hostMAC = Classic.authenticate([0x01] + transcript, key: confirmation, count: 16)
        tokenMAC = Classic.authenticate([0x02] + transcript, key: confirmation, count: 16)
        seed = keys.extracting(32..<64)
        exporter = keys.extracting(64..<96)
    }
}
