// SPDX-License-Identifier: Apache-2.0
import EmulatedTokens
import Emulator
import Testing

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
