// SPDX-License-Identifier: Apache-2.0
// activate: activates the token's secure channel if that was not done before. The password comes on standard input.
import KanalKit

let manager = try TokenManager()
let token = try await manager.find()
if token.isActivated {
    print("ready: \(token.information)")
} else {
    print("activation password: ", terminator: "")
    let password = ActivationPassword(readLine() ?? "")
    do {
        try await token.activate(password: password)
        print("activated: \(token.information)")
    } catch {
        // The error has the number of tries left.
        print("not activated: \(error)")
    }
}
