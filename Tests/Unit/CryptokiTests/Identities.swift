import Emulator
import Testing

extension Identity {
    /// The Bluetooth token in one profile.
    static func bt(_ profile: ChannelProfile) -> Identity { changed { $0.profiles = [profile] } }

    /// The Bluetooth token in one profile, with one session only and without batches.
    static func single(_ profile: ChannelProfile) -> Identity {
        changed { offer in
            offer.profiles = [profile]
            offer.sessions = 1
            offer.features = nil
        }
    }

    /// A Bluetooth token with another offer.
    static func changed(_ change: (inout ChannelOffer) -> Void) -> Identity {
        var identity = Identity.bt
        var offer = ChannelOffer()
        change(&offer)
        identity.channel = offer
        return identity
    }
}

/// Runs each test of a suite once in each profile: ``Identity/underTest`` is a token that has no other.
struct InBothProfiles: SuiteTrait, TestTrait, TestScoping {
    @TaskLocal static var profile = ChannelProfile.modern

    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        for profile in ChannelProfile.allCases {
            try await InBothProfiles.$profile.withValue(profile) { try await function() }
        }
    }
}

extension Trait where Self == InBothProfiles {
    static var inBothProfiles: InBothProfiles { InBothProfiles() }
}

extension Identity {
    /// The Bluetooth token in the profile that is being tested.
    static var underTest: Identity { .bt(InBothProfiles.profile) }
}
