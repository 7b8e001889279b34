// SPDX-License-Identifier: Apache-2.0
import Asking
import SecureChannel
import Token
import Translation

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
