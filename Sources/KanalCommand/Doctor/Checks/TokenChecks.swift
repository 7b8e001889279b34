// SPDX-License-Identifier: Apache-2.0

import KanalKit

/// The PINs, keys and certificates of the tokens that are there, as far as they are seen without a PIN.
struct TokenChecks {
    func findings(_ manager: TokenManager) async -> [Finding] {
        let findings = try? await Deadline.run {
            var findings: [Finding] = []
            for token in try await manager.allTokens() where token.isActivated {
                findings += token.findings
                // A channel that cannot be opened is a finding of its own.
                guard let contents = try? await token.perform({ session in try session.contents() }) else { continue }
                findings += contents.findings(of: token.information.serialText)
            }
            return findings
        }
        return findings ?? []
    }
}
