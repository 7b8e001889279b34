// SPDX-License-Identifier: Apache-2.0
// cancel: waits for a token that was removed, and stops waiting after two seconds.
import KanalKit

let manager = try TokenManager()
let token = try await manager.find()
print("take the token away, and press Enter")
_ = readLine()
let work = Task {
    try await token.perform(waitingFor: .seconds(600)) { session in try session.certificates().count }
}
try await Task.sleep(for: .seconds(2))
work.cancel()
do {
    print("certificates: \(try await work.value)")
} catch {
    print("ended: \(error)")
}
