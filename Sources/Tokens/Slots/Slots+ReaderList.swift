// SPDX-License-Identifier: Apache-2.0
import APDU
import Token
import Translation

extension Slots {
    /// All readers with their cards, in their order. Each token is asked for what it reports without a PIN.
    package func readerList() throws(TokensError) -> [ReaderReport] {
        var list: [ReaderReport] = []
        for number in try numbers(tokenPresent: false) {
            let state = try state(of: number)
            let token = state.hasToken ? try? token(in: number, evicting: false) : nil
            list.append(
                ReaderReport(
                    slot: number, name: state.reader,
                    nickname: ReaderReport.nickname(of: state.reader, besides: list.map(\.nickname)),
                    isOccupied: state.isOccupied,
                    isWireless: token?.isWireless ?? settings.policy.isWireless(state.reader), token: token))
        }
        return list
    }
}
