// SPDX-License-Identifier: Apache-2.0
import Asking
import Configuration
import Testing

@Suite("What kanal.conf says of asking the user")
struct AskingSettingTests {
    private func configuration(_ system: String?, _ user: String? = nil) -> Configuration {
        Configuration(system: system.map { Array($0.utf8) }, user: user.map { Array($0.utf8) }, program: "program")
    }

    @Test("A keyring may keep PINs where a file says so, no stricter one forbids it, and PINs may be kept at all")
    func keyring() {
        let (on, off, none) = ("pin_keyring = on", "pin_keyring = off", "pin_retention = none")
        for (system, user, isOn) in [
            (nil, "", false), (nil, on, true), (on, "", true), (off, on, false), (on, off, false), (none, on, false),
            (on, none, false), (nil, "pin_keyring = yes", false), (nil, on + "\n" + none, false), (on, "x = 1", false),
            (on, "minimum_profile = best", false),
        ] as [(String?, String?, Bool)] {
            let pinentry = "authenticator = pinentry\n"
            let configuration = configuration(system.map { pinentry + $0 }, user.map { pinentry + $0 })
            #expect(configuration.authenticator?.allowsKeyring == isOn, "\(system ?? "-"), \(user ?? "-")")
        }
    }

    @Test("Without settings nobody asks, and no signature needs consent")
    func defaults() {
        let configuration = configuration(nil)
        #expect(configuration.authenticator == nil)
        #expect(!configuration.asksForActivation)
        #expect(configuration.consent == .never)
        #expect(self.configuration("authenticator =\nactivation = off\nconsent = never") == configuration)
    }

    @Test("Every key is read")
    func keys() {
        let configuration = configuration(
            "authenticator = pinentry:/opt/ask me\nauthenticator_timeout = 7\nactivation = ask\nconsent = per-key")
        #expect(configuration.authenticator == Authenticator(.pinentry("/opt/ask me"), timeLimit: 7))
        #expect(configuration.asksForActivation)
        #expect(configuration.consent == .perKey)
        #expect(configuration.remarks == [])
        #expect(self.configuration("authenticator = pinentry").authenticator?.timeLimit == 120)
    }

    @Test("A wrong value never lowers protection: consent is always asked for, a wrong authenticator is none")
    func errors() {
        for text in ["consent = sometimes", "consent =", "consent = never\nconsent = never", "consent = Never"] {
            let wrong = configuration(text, "consent = never")
            #expect(wrong.consent == .always)
            #expect(!wrong.isClosed)
            #expect(wrong.remarks.first?.isError == true)
        }
        let wrong = configuration(
            "authenticator = askpass\nauthenticator_timeout = 0\nactivation = yes", "authenticator_timeout = 3601")
        #expect(wrong.authenticator == nil && !wrong.asksForActivation && !wrong.isClosed)
        #expect(wrong.remarks.map(\.line) == [1, 2, 3, 1])
        #expect(configuration("authenticator = pinentry", "authenticator = x").authenticator == nil)
        #expect(configuration("nonsense").consent == .always)
    }

    @Test("The user can make consent stricter and not laxer")
    func consent() {
        for (system, user, result) in [
            ("always", "never", Consent.always), ("always", "per-key", .always), ("per-key", "never", .perKey),
            ("per-key", "always", .always), ("never", "always", .always), ("never", "per-key", .perKey),
        ] {
            let configuration = configuration("consent = \(system)", "consent = \(user)")
            #expect(configuration.consent == result)
            #expect(configuration.remarks.isEmpty == (result.rawValue == user))
        }
    }

    @Test("The user's authenticator counts, unless the administrator demands consent and names one")
    func authenticator() {
        let user = "authenticator = pinentry:/home/user/yes"
        let own = Authenticator.Method.pinentry("/home/user/yes")
        #expect(configuration("authenticator = pinentry", user).authenticator?.method == own)
        #expect(configuration("consent = always", user).authenticator?.method == own)
        #expect(configuration("consent = never\nauthenticator = pinentry", user).authenticator?.method == own)
        let demanded = configuration("consent = per-key\nauthenticator = pinentry", user)
        #expect(demanded.authenticator?.method == .pinentry("pinentry"))
        #expect(demanded.remarks.map(\.line) == [1])
        #expect(configuration("authenticator = pinentry", "authenticator =").authenticator == nil)
        #expect(configuration("consent = always\nauthenticator = pinentry", "authenticator =").authenticator != nil)
    }

    @Test(
        "The administrator's misspelt authenticator lets no program of the user's answer",
        arguments: [
            "authenticator = pinentri:/usr/bin/pinentry", "authenticator = pinentry: x/y",
            "authenticator = pinentry\nauthenticator = pinentry", "[program program]\nauthenticator = pinentry /bin",
        ])
    func misspelt(_ line: String) {
        let user = "authenticator = pinentry:/home/user/yes"
        for consent in ["always", "per-key"] {
            let both = configuration("consent = \(consent)\n\(line)", user)
            #expect(both.authenticator == nil && both.consent.rawValue == consent)
            #expect(both.remarks.first?.isError == true && both.remarks.count == 2)
        }
    }

    @Test("A file is not asked for an activation password")
    func activation() {
        for setting in ["file:/etc/pin", "credential:pin", ""] {
            #expect(!configuration("activation = ask\nauthenticator = \(setting)").asksForActivation)
        }
        #expect(configuration("activation = ask\nauthenticator = systemd-ask-password").asksForActivation)
        #expect(configuration("activation = ask", "authenticator = pinentry").asksForActivation)
    }
}
