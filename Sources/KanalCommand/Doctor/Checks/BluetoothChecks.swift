// SPDX-License-Identifier: Apache-2.0
import Glibc
import Terminal
import Translation

/// The way to a Bluetooth token, where no token is in a reader and BlueZ is installed. A token of another kind needs
/// none of it, so that all of these are warnings.
struct BluetoothChecks {
    let person: CurrentUser
    let bluetooth: Bluetooth

    func findings() -> [Finding] {
        switch bluetooth {
        case .unknown: []
        case .noService:
            [
                .warning(
                    "bluetooth.service", "the service of Bluetooth, bluetoothd, does not answer",
                    remedy: person.hasSystemd
                        ? person.asRoot("systemctl start bluetooth") : "Start bluetoothd, the service of BlueZ")
            ]
        case .noRadio:
            [
                .warning(
                    "bluetooth.radio", "this machine has no Bluetooth radio, or no driver for it",
                    remedy: "Plug in a Bluetooth adapter, or turn the radio on in the machine's settings")
            ]
        case .off(let isBlocked):
            [
                .warning(
                    "bluetooth.off", "the Bluetooth radio is off",
                    remedy: .command(isBlocked ? "rfkill unblock bluetooth" : "bluetoothctl power on"))
            ]
        case .on(let tokens): tokens.contains { $0.isPaired && $0.isConnected } ? [] : [missing(among: tokens)]
        }
    }

    /// The next step to a connection. A token that is paired with the system comes first.
    private func missing(among tokens: [Bluetooth.Device]) -> Finding {
        if let token = tokens.first(where: \.isPaired) {
            return .warning(
                "bluetooth.connection", "the token \"\(token.name)\" is paired with the system, and not connected",
                remedy: "Hold its button until it blinks, then: bluetoothctl connect \(token.address)")
        }
        if let token = tokens.first {
            return .warning(
                "bluetooth.pairing", "the token \"\(token.name)\" is not paired with the system",
                remedy: "Hold its button until it blinks, then: bluetoothctl pair \(token.address)")
        }
        return .warning(
            "bluetooth.pairing", "no Bluetooth token is paired with the system",
            remedy: """
                Hold the token's button until it blinks, find it by "bluetoothctl --timeout 30 scan on", then: \
                bluetoothctl pair ADDRESS
                """)
    }
}
