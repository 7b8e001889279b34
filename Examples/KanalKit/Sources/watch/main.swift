// SPDX-License-Identifier: Apache-2.0
// watch COUNT: reports so many tokens that come and go.
import KanalKit

let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? .max
var seen = 0
let manager = try TokenManager()
for await event in manager.events() {
    switch event {
    case .attached(let token): print("attached: \(token.information)")
    case .detached(let token): print("detached: \(token.information)")
    case .stopped(let reason): print("stopped: \(reason)")
    }
    seen += 1
    if seen >= count { break }
}
