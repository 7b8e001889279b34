// SPDX-License-Identifier: Apache-2.0
// certificates PIN COUNT: lists the token's certificates so many times, one second apart, even if the token moves in
// the meantime. The PIN is given once. The states of the token go to standard output as they change.
import KanalKit

let pin = CommandLine.arguments.dropFirst().first ?? ""
let count = CommandLine.arguments.dropFirst(2).first.flatMap { Int($0) } ?? 1
let manager = try TokenManager()
let token = try await manager.find()

let states = Task {
    for await state in token.states {
        switch state {
        case .normal: print("state: normal")
        case .waitingForToken: print("state: waiting for the token")
        case .wrongToken: print("state: wrong token")
        case .completed: print("state: completed")
        }
    }
}
for round in 1...max(count, 1) {
    do {
        // The PIN is presented again automatically after a return.
        let certificates = try await token.perform(pin: round == 1 ? PIN(pin) : nil, waitingFor: .seconds(30)) {
            session in
            _ = try session.keyPairs()
            return try session.certificates()
        }
        print("certificates: \(certificates.count)")
    } catch {
        print("failed: \(error)")
    }
    try await Task.sleep(for: .seconds(1))
}
states.cancel()
