// SPDX-License-Identifier: Apache-2.0

import Asking
import SecureChannel
import Token
import Translation

/// The values of some settings, a property for each key; nil for those that are not set.
struct Statements {
    var store: Configuration.Store?
    var secrets: Configuration.SecretsPlace?
    var minimumProfile: Profile?
    var requireSM: Bool?
    var pinRetention: PINRetention?
    var reconnectWindow: Int?
    var reconnectWindowWired: Int?
    var busyWindow: Int?
    var wirelessReaders: [WildcardPattern] = []
    var plainBluetooth: Bool?
    var plainLogin: PlainLogin?
    var usesPINPads: Bool?
    var hiddenKeys: KeyFamilies?
    var cachesObjects: Bool?
    var containers: [String] = []
    var syslog: Bool?
    var asking = AskingStatements()

    init() {}

    /// Reads settings of one scope, in each of which a key occurs once. Errors are reported to the file.
    init(_ settings: [Setting], of file: inout ConfigurationFile) {
        var lines: [Key: Int] = [:]
        for setting in settings {
            if let line = lines[setting.key], !setting.key.isList {
                file.report(
                    "\(setting.key.rawValue) is also set in line \(line)", line: setting.line,
                    closing: setting.key.closes)
                takeStrictest(setting.key)
                continue
            }
            lines[setting.key] = setting.line
            if !read(setting, of: &file) {
                file.report(
                    "\(setting.key.rawValue): \"\(setting.value)\" is not allowed; allowed: \(setting.key.allowed)",
                    line: setting.line, closing: setting.key.closes)
                takeStrictest(setting.key)
            }
        }
        for exclusive in [[Key.application, .group, .synchronised], [.hideKeys, .hideGOSTKeys]] {
            let named = exclusive.filter { lines[$0] != nil }
            guard named.count > 1 else { continue }
            let names = named.map(\.rawValue).joined(separator: " and ")
            file.report(
                "\(names) exclude each other", line: named.compactMap { lines[$0] }.max(),
                closing: named.contains(where: \.closes))
        }
    }

    /// Applies the strictest value to a key with a wrong line, or a second one, where the default would protect less.
    private mutating func takeStrictest(_ key: Key) {
        if key == .pinRetention { pinRetention = PINRetention.none }
        if key == .cache { cachesObjects = false }
        // The defaults, also if a laxer line stands before.
        if key == .plainBluetooth { plainBluetooth = false }
        if key == .plainLogin { plainLogin = .reset }
        let defaults = TokenPolicy()
        if key == .reconnectWindow { reconnectWindow = reconnectWindow.map { min($0, defaults.reconnectWindow) } }
        if key == .reconnectWindowWired {
            reconnectWindowWired = reconnectWindowWired.map { _ in defaults.reconnectWindowWired }
        }
        // Not the secrets of this machine in place of those that are meant.
        if key == .secrets { secrets = .unusable }
        asking.takeStrictest(key)
    }

    /// - Returns: Whether the value is allowed.
    private mutating func read(_ setting: Setting, of file: inout ConfigurationFile) -> Bool {
        let value = setting.value
        switch setting.key {
        case .application, .group, .synchronised:
            return readStore(setting, of: &file)
        case .secrets:
            secrets = value.isEmpty ? .machine : .directory(value)
            return value.isEmpty || value.hasPrefix("/") || value.hasPrefix("~/")
        case .minimumProfile:
            minimumProfile = ["classic": Profile.classic, "modern": .modern][value]
            return minimumProfile != nil
        case .requireSM:
            requireSM = Statements.flag(value)
            return requireSM != nil
        case .pinRetention:
            pinRetention = PINRetention(rawValue: value)
            return pinRetention != nil
        case .reconnectWindow:
            reconnectWindow = Statements.seconds(value)
            return reconnectWindow != nil
        case .reconnectWindowWired:
            reconnectWindowWired = Statements.seconds(value)
            return reconnectWindowWired != nil
        case .busyWindow:
            busyWindow = Statements.seconds(value, from: 1)
            return busyWindow != nil
        case .wirelessReaders:
            wirelessReaders += setting.elements.map(WildcardPattern.init)
            return true
        case .plainBluetooth:
            plainBluetooth = Statements.flag(value)
            return plainBluetooth != nil
        case .plainLogin:
            plainLogin = PlainLogin(rawValue: value)
            return plainLogin != nil
        case .pinPad:
            usesPINPads = Statements.flag(value)
            return usesPINPads != nil
        case .hideKeys:
            hiddenKeys = KeyFamilies(names: setting.elements)
            return hiddenKeys != nil
        case .hideGOSTKeys:
            hiddenKeys = Statements.flag(value).map { $0 ? .gost : [] }
            return hiddenKeys != nil
        case .cache:
            cachesObjects = Statements.flag(value)
            return cachesObjects != nil
        case .containers:
            let paths = setting.elements
            guard paths.allSatisfy({ $0.hasPrefix("/") || $0.hasPrefix("~/") }) else { return false }
            containers += paths
            return true
        case .authenticator, .authenticatorTimeout, .activation, .consent, .pinKeyring:
            return asking.read(setting) ?? false
        case .syslog:
            syslog = Statements.flag(value)
            return syslog != nil
        }
    }

    /// An empty value leads back to the user's own store.
    private mutating func readStore(_ setting: Setting, of file: inout ConfigurationFile) -> Bool {
        if setting.value.isEmpty {
            store = .user
            return true
        }
        switch setting.key {
        case .application:
            store = .application(setting.value)
            return setting.value.isName
        case .group:
            var groups = setting.elements
            if case .groups(let others)? = store { groups = others + groups }
            store = .groups(groups)
            if groups.count > 1 {
                file.remark("of several groups the first counts: \(groups[0])", line: setting.line)
            }
            return !groups.isEmpty && groups.allSatisfy(\.isName)
        default:
            store = .synchronised(setting.value)
            return setting.value.hasPrefix("/") || setting.value.hasPrefix("~/")
        }
    }

    fileprivate static func flag(_ text: String) -> Bool? { ["on": true, "off": false][text] }

    static func seconds(_ text: String, from least: Int = 0) -> Int? {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text) else { return nil }
        return (least...3600).contains(number) ? number : nil
    }

    /// The settings of `other` take precedence.
    mutating func override(by other: Statements) {
        store = other.store ?? store
        secrets = other.secrets ?? secrets
        minimumProfile = other.minimumProfile ?? minimumProfile
        requireSM = other.requireSM ?? requireSM
        pinRetention = other.pinRetention ?? pinRetention
        reconnectWindow = other.reconnectWindow ?? reconnectWindow
        reconnectWindowWired = other.reconnectWindowWired ?? reconnectWindowWired
        busyWindow = other.busyWindow ?? busyWindow
        wirelessReaders += other.wirelessReaders
        plainBluetooth = other.plainBluetooth ?? plainBluetooth
        plainLogin = other.plainLogin ?? plainLogin
        usesPINPads = other.usesPINPads ?? usesPINPads
        hiddenKeys = other.hiddenKeys ?? hiddenKeys
        cachesObjects = other.cachesObjects ?? cachesObjects
        containers += other.containers
        syslog = other.syslog ?? syslog
        asking.override(by: other.asking)
    }
}

/// The administrator's settings that the user's file cannot override.
extension Statements {
    /// Removes settings that protect less than the administrator's, and those that only the administrator may set. Each
    /// removal is remarked.
    mutating func keepFromWeakening(_ administrator: Statements, in file: inout ConfigurationFile) {
        keep(\.minimumProfile, .minimumProfile, administrator, in: &file) { max($0, $1) }
        keep(\.requireSM, .requireSM, administrator, in: &file) { $0 || $1 }
        keep(\.pinRetention, .pinRetention, administrator, in: &file) { [$0, $1].contains(.none) ? .none : .session }
        keep(\.reconnectWindow, .reconnectWindow, administrator, in: &file) { min($0, $1) }
        keep(\.reconnectWindowWired, .reconnectWindowWired, administrator, in: &file) { min($0, $1) }
        keep(\.plainLogin, .plainLogin, administrator, in: &file) { [$0, $1].contains(.reset) ? .reset : .sticky }
        keep(\.cachesObjects, .cache, administrator, in: &file) { $0 && $1 }
        keep(\.asking.allowsKeyring, .pinKeyring, administrator, in: &file) { $0 && $1 }
        keep(\.asking.consent, .consent, administrator, in: &file) { max($0, $1) }
        if administrator.asking.consent ?? .never > .never {
            // Another authenticator could say yes in the user's stead.
            keep(\.asking.authenticator, .authenticator, administrator, in: &file) { demanded, _ in demanded }
        }
        if plainBluetooth == true, administrator.plainBluetooth != true {
            plainBluetooth = false
            file.remark(
                "plain_bluetooth = on has no effect: only the administrator can allow it",
                line: file.line(of: .plainBluetooth))
        }
        if syslog != nil {
            syslog = nil
            file.remark("syslog has no effect: it is the administrator's", line: file.line(of: .syslog))
        }
    }

    /// Keeps one setting of the administrator's where it is the stricter one.
    private mutating func keep<Value: Equatable>(
        _ setting: WritableKeyPath<Statements, Value?>, _ key: Key, _ administrator: Statements,
        in file: inout ConfigurationFile, stricter: (Value, Value) -> Value
    ) {
        guard let demanded = administrator[keyPath: setting], let value = self[keyPath: setting],
            stricter(demanded, value) != value
        else { return }
        self[keyPath: setting] = demanded
        file.remark(
            "\(key.rawValue) has no effect: what the administrator demands is stricter", line: file.line(of: key))
    }
}

/// The settings of how the user is asked, a property for each key; nil for those that are not set.
struct AskingStatements {
    /// The inner value is nil for an empty setting: the user is never asked.
    var authenticator: Authenticator??
    var timeLimit: Int?
    var asksForActivation: Bool?
    var consent: Consent?
    var allowsKeyring: Bool?

    /// - Returns: Whether the value is allowed; nil if the key belongs elsewhere.
    mutating func read(_ setting: Setting) -> Bool? {
        switch setting.key {
        case .authenticator:
            let named = Authenticator(setting: setting.value)
            guard named != nil || setting.value.isEmpty else { return false }
            authenticator = .some(named)
            return true
        case .authenticatorTimeout:
            timeLimit = Statements.seconds(setting.value, from: 1)
            return timeLimit != nil
        case .activation:
            asksForActivation = ["ask": true, "off": false][setting.value]
            return asksForActivation != nil
        case .consent:
            consent = Consent(rawValue: setting.value)
            return consent != nil
        case .pinKeyring:
            allowsKeyring = Statements.flag(setting.value)
            return allowsKeyring != nil
        default: return nil
        }
    }

    /// Applies the strictest value to a key with a wrong line, or a second one.
    mutating func takeStrictest(_ key: Key) {
        if key == .consent { consent = .always }
        if key == .pinKeyring { allowsKeyring = false }
        // Not the user's in place of the administrator's: it could say yes in the user's stead.
        if key == .authenticator { authenticator = .some(nil) }
    }

    /// The settings of `other` take precedence.
    mutating func override(by other: AskingStatements) {
        authenticator = other.authenticator ?? authenticator
        timeLimit = other.timeLimit ?? timeLimit
        asksForActivation = other.asksForActivation ?? asksForActivation
        consent = other.consent ?? consent
        allowsKeyring = other.allowsKeyring ?? allowsKeyring
    }
}
