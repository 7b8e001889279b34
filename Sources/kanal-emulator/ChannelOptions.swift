// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Emulator

/// Options of the token's end of the secure channel. They are not stored, and can differ in each run.
struct ChannelOptions: ParsableArguments {
    enum Profiles: String, ExpressibleByArgument, CaseIterable {
        case classic
        case modern
        case both

        var list: [ChannelProfile] {
            switch self {
            case .classic: [.classic]
            case .modern: [.modern]
            case .both: ChannelProfile.allCases
            }
        }
    }

    @Option(
        help: ArgumentHelp(
            "The profiles of the secure channel. A stored token offers those of them that it was made with."
                + " (default: both)"))
    var profiles: Profiles?

    @Option(
        help: ArgumentHelp("The number of sessions that can be open at once, 1 to 4. (default: 4)", valueName: "count"))
    var sessions: Int?

    @Flag(inversion: .prefixedNo, help: "Whether several commands can come as one. (default: --batch)")
    var batch: Bool?

    @Option(
        help: ArgumentHelp(
            "The sum of 1 = channel required over the air, 2 = required on a wire, 4 and 8 = pairing forbidden there."
                + " (default: 3)",
            valueName: "bits"))
    var policy: UInt8?

    @Flag(help: "The token is reached by a wire, so that policy bits 2 and 8 count, not 1 and 4.")
    var wired = false

    @Option(
        help: ArgumentHelp(
            "The longest plaintext of a protected command, 128 to 65000 bytes. Above 238 the token states that it accepts"
                + " extended APDUs. (default: 238)",
            valueName: "bytes"))
    var maxCommand: Int?

    @Option(
        help: ArgumentHelp(
            "The longest plaintext of a protected reply, 128 to 65000 bytes. (default: 238)", valueName: "bytes"))
    var maxReply: Int?

    @Flag(help: "Accept commands and send responses of 1024 bytes: the same as --max-command 1024 --max-reply 1024.")
    var extended = false

    func validate() throws {
        guard (1...4).contains(sessions ?? 1) else { throw ValidationError("--sessions is 1 to 4") }
        guard (policy ?? 0) <= 15 else { throw ValidationError("--policy is 0 to 15") }
        for (name, size) in [("--max-command", maxCommand), ("--max-reply", maxReply)] {
            guard (128...65_000).contains(size ?? 128) else { throw ValidationError("\(name) is 128 to 65000") }
            guard size == nil || !extended else { throw ValidationError("\(name) and --extended exclude each other") }
        }
    }

    /// Whether any option was given.
    private var isUsed: Bool {
        profiles != nil || sessions != nil || batch != nil || policy != nil || wired || maxCommand != nil
            || maxReply != nil || extended
    }

    static func noChannel(_ identity: Identity) -> ValidationError {
        ValidationError("the identity '\(identity.name)' has no secure channel")
    }

    /// The identity with a channel like this.
    func apply(to identity: Identity) throws -> Identity {
        guard isUsed else { return identity }
        guard var offer = identity.channel else { throw Self.noChannel(identity) }
        if let profiles { offer.profiles = profiles.list }
        if let sessions { offer.sessions = sessions }
        if let batch { offer.features = batch ? ChannelOffer.batch : nil }
        if let policy { offer.policy = policy }
        offer.isWireless = !wired
        offer.maximumCommand = maxCommand ?? (extended ? 1024 : offer.maximumCommand)
        offer.maximumReply = maxReply ?? (extended ? 1024 : offer.maximumReply)
        var changed = identity
        changed.channel = offer
        return changed
    }
}
