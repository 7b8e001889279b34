// SPDX-License-Identifier: Apache-2.0
import Secrets
import Token

/// The driver, with a token whose answers are right, changed, or arbitrary. The first byte chooses the token, and
/// whether it has a secure channel; then each byte is a call, with its answers behind it. A call always returns, or
/// throws an error that it declares, and delivers no more than was asked for.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzDriver(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    guard let first = input.first else { return 0 }
    let link = FuzzedLink(
        scenes[Int(first & 0x0F) % scenes.count].card(), input.dropFirst(), isProtected: first & 0x80 != 0)
    guard let history = try? ChannelHistory(random: SystemRandom()) else { fatalError("no random bytes") }
    var settings = Host.one.settings()
    if first & 0x40 != 0 { settings.policy.plainLogin = .sticky }
    let token = try? ConnectedToken(
        reader: "reader", link: link, settings: settings, tokens: KnownTokens(), history: history)
    guard let token else { return 0 }
    link.serial = token.serial
    while let call = link.next() { run(call, on: token, link) }
    token.disconnect()
    return 0
}

private func run(_ call: UInt8, on token: ConnectedToken, _ link: FuzzedLink) {
    do throws(TokenError) {
        switch call % 32 {
        case 0: try token.logIn(as: .user, pin: Secret(copying: Array("12345678".utf8)))
        case 1: try token.logIn(as: .securityOfficer, pin: Secret(copying: Array("87654321".utf8)))
        case 2: try token.logOut()
        case 3: _ = try token.info(evicting: call >= 0x80)
        case 4: _ = try token.modelName()
        case 5:
            let bytes = try token.randomBytes(Int(call))
            guard bytes.count == Int(call) else { fatalError("\(bytes.count) random bytes for \(call)") }
        case 6...9: try use(token.objects(), of: token, call)
        case 10: try makeKeys(token, call)
        case 11: try makeRSAKeys(token)
        case 12: try store(token, call)
        case 13: try changePIN(token, call)
        case 14:
            link.isReset = true
        case 15: try token.resume(over: link)
        case 16: try format(token, call)
        case 17: try administer(token, call)
        case 18: try useDataObjects(token, call)
        case 19: try useLocalPINs(token, call)
        case 20: try makeECKeys(token)
        case 21: try importKeys(token, call)
        case 22: try storeKeys(token, call)
        case 23: try change(token.objects(), of: token)
        case 24: try agree(token.objects(), of: token)
        case 25: link.serial = link.serial == token.serial ? [] : token.serial
        default: try token.prepare()
        }
    } catch {
        // The driver's errors are typed.
    }
}
