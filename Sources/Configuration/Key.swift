// SPDX-License-Identifier: Apache-2.0
import Translation

/// The keys that a configuration file can set.
enum Key: String, CaseIterable {
    case application
    case group
    case synchronised
    case secrets
    case minimumProfile = "minimum_profile"
    case requireSM = "require_sm"
    case pinRetention = "pin_retention"
    case pinKeyring = "pin_keyring"
    case reconnectWindow = "reconnect_window"
    case reconnectWindowWired = "reconnect_window_wired"
    case busyWindow = "busy_window"
    case wirelessReaders = "wireless_readers"
    case plainBluetooth = "plain_bluetooth"
    case plainLogin = "plain_login"
    case pinPad = "pin_pad"
    case hideKeys = "hide_keys"
    case hideGOSTKeys = "hide_gost_keys"
    case cache
    case containers
    case authenticator
    case authenticatorTimeout = "authenticator_timeout"
    case activation
    case consent
    case syslog

    /// Whether an error in it leaves open which protection or store is wanted.
    var closes: Bool {
        switch self {
        case .application, .group, .synchronised, .minimumProfile, .requireSM, .wirelessReaders: true
        case .plainBluetooth, .pinRetention, .pinKeyring, .reconnectWindow, .reconnectWindowWired, .busyWindow,
            .plainLogin, .pinPad, .hideKeys, .hideGOSTKeys, .cache, .containers, .secrets, .authenticator,
            .authenticatorTimeout, .activation, .consent, .syslog:
            false
        }
    }

    /// Whether it may occur several times, each of which adds to a list.
    var isList: Bool { [.group, .wirelessReaders, .containers].contains(self) }

    /// The values that are allowed, in words.
    var allowed: Phrase {
        switch self {
        case .application, .group:
            "a name of at most 64 letters, digits, \".\", \"_\" and \"-\" that does not begin with \".\""
        case .synchronised, .secrets: "a path that begins with \"/\" or \"~/\""
        case .minimumProfile: Phrase(verbatim: "classic, modern")
        case .requireSM, .plainBluetooth, .pinPad, .hideGOSTKeys, .cache, .pinKeyring, .syslog:
            Phrase(verbatim: "on, off")
        case .pinRetention: Phrase(verbatim: "session, none")
        case .reconnectWindow, .reconnectWindowWired: "whole seconds, 0 to 3600"
        case .wirelessReaders: "names of readers, with * and ?, separated by commas"
        case .containers: "paths that begin with \"/\" or \"~/\", separated by commas"
        case .plainLogin: Phrase(verbatim: "reset, sticky")
        case .hideKeys: "gost, other-curves, both with a comma between them, or nothing"
        case .authenticator:
            """
            pinentry, pinentry: with a path or a program's name, systemd-ask-password, file: with a path, credential: with \
            a name
            """
        case .busyWindow, .authenticatorTimeout: "whole seconds, 1 to 3600"
        case .activation: Phrase(verbatim: "ask, off")
        case .consent: Phrase(verbatim: "always, per-key, never")
        }
    }
}
