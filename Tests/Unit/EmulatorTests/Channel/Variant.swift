import Emulator
import Testing

/// A profile and a number of sessions.
struct Variant: CustomTestStringConvertible {
    let profile: ChannelProfile
    let sessions: Int

    var testDescription: String { "\(profile), N = \(sessions)" }

    static let all = ChannelProfile.allCases.flatMap { profile in
        [1, 4].map { Variant(profile: profile, sessions: $0) }
    }
}
