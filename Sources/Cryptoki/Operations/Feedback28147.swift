// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

/// CFB with key meshing: the mode of the CryptoPro parameter sets A to D (RFC 4357, 8.1), and of the set Z, where
/// OpenSSL's engine uses it too.
final class Feedback28147: CipherState {
    private var mode: GOST28147CFB
    private let direction: CipherDirection
    let granularity: Int? = 1

    init(key: Span<UInt8>, iv: Span<UInt8>, sBox: SBox, _ direction: CipherDirection) throws(GOSTError) {
        mode = try GOST28147CFB(key: key, iv: iv, sBox: sBox, meshing: true)
        self.direction = direction
    }

    func process(_ data: Span<UInt8>) -> Secret {
        direction == .encryption ? mode.encrypt(data) : mode.decrypt(data)
    }
}
