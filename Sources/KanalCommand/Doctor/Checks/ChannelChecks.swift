// SPDX-License-Identifier: Apache-2.0

import KanalKit
import Translation

/// The secure channels of the tokens that are there, as a session would find them.
struct ChannelChecks {
    let person: CurrentUser

    func findings(_ manager: TokenManager) async -> [Finding] {
        let findings = try? await Deadline.run {
            var findings: [Finding] = []
            for token in try await manager.allTokens() {
                guard let channel = try? await token.details().channel else { continue }
                var obstacle: Explanation?
                if channel.state == .unusable {
                    // The session that is not opened says why.
                    do { try await token.perform { _ in } } catch KanalError.channelUnusable(let reason) {
                        obstacle = reason
                    } catch {}
                }
                findings += self.findings(token.information.serialText, channel, obstacle)
            }
            return findings
        }
        return findings ?? []
    }

    private func findings(_ serial: String, _ channel: ChannelDetails, _ obstacle: Explanation?) -> [Finding] {
        let state = finding(serial, channel.state, obstacle)
        // Of a token that works, an old password that is locked disturbs no user.
        let locked = state == nil ? [] : channel.passwords.filter { $0.state == .locked }
        return [state].compactMap(\.self)
            + locked.map { password in
                .error(
                    "channel.password",
                    "the activation password number \(password.number) of the token \(serial) has no tries left",
                    remedy: """
                        Use another activation password, or have the security officer make a new one: kanal pairings password \
                        on a machine that is paired with the token
                        """)
            }
    }

    private func finding(_ serial: String, _ state: ChannelDetails.State, _ obstacle: Explanation?) -> Finding? {
        let pair = Phrase.command("kanal pair \(serial)")
        return switch state {
        case .active, .notNeeded: nil
        case .inactive: .error("channel.inactive", "the token \(serial) is not activated for this user", remedy: pair)
        case .revoked: .error("channel.revoked", "the token \(serial) no longer knows this host", remedy: pair)
        case .keyChanged:
            .error(
                "channel.key", "the token \(serial) has a different key than before: it may be another token",
                remedy: "If this is expected, activate it: kanal pair \(serial)")
        case .missing:
            .error(
                "channel.missing", "the token \(serial) offers no secure channel, and is not used without one",
                remedy: """
                    Ask the issuer if it had one before; otherwise see require_sm and plain_bluetooth in \
                    /etc/kanal/kanal.conf
                    """)
        case .unusable: unusable(serial, obstacle)
        }
    }

    private func unusable(_ serial: String, _ obstacle: Explanation?) -> Finding {
        let reason: Phrase = obstacle.map { ": \($0.phrase)" } ?? ""
        let known = obstacle?.id.map { LogMeaning($0, for: person).remedy }
        // A remedy that leads back here is none.
        let remedy = known.flatMap { $0.description.contains("kanal doctor") ? nil : $0 }
        return .error(
            "channel.unusable", "the secure channel of the token \(serial) cannot be opened\(reason)",
            remedy: remedy ?? """
                Take the token out, and put it in again; if that does not help, activate it again: kanal pair \(serial)
                """)
    }
}
