// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Cryptoki
import Locking
import Token

extension Token {
    /// Everything that the token tells of itself without a PIN. All of it is read again, known facts included.
    ///
    /// Before its channel is activated a token tells little; see ``TokenDetails``. A channel that another process has with
    /// a token which has only one of them ends, and is opened again when that process needs it.
    ///
    /// - Parameter prompt: As for ``perform(as:pin:prompt:waitingFor:_:)``. A token that is away is waited for as there.
    public func details(prompt: String? = nil) async throws(KanalError) -> TokenDetails {
        try await inPlace(prompt) { [self] slot throws(KanalError) in
            let library = service.library
            let state = try translated { () throws(CKError) in try library.token(in: slot, evicting: true) }
            let reader = try translated { () throws(CKError) in try library.slot(slot).reader }
            let fresh = TokenInformation(state, reader: reader)
            guard fresh.isSameToken(as: information) else {
                enter(.wrongToken)
                throw .wrongToken
            }
            update(fresh, slot: slot)
            let channel = try translated { () throws(CKError) in try library.channelInfo(in: slot) }
            guard state.info.isFormatted != nil else {
                return TokenDetails(state, fresh, ChannelDetails(channel), modelName: nil, driveMegabytes: nil)
            }
            let name = try translated { () throws(CKError) in try library.modelName(in: slot) }
            return TokenDetails(
                state, fresh, ChannelDetails(channel), modelName: name.map { String(decoding: $0, as: UTF8.self) },
                driveMegabytes: try driveMegabytes(in: slot))
        }
    }

    private func driveMegabytes(in slot: CK_SLOT_ID) throws(KanalError) -> Int? {
        do throws(CKError) { return try service.library.driveSize(in: slot) } catch {
            guard error == .functionNotSupported else { throw KanalError(error) }
            return nil
        }
    }

    /// Runs `body` in the token's thread, with the token's slot. `body` opens the sessions that it needs.
    func inPlace<Result: Sendable>(
        _ prompt: String?, _ body: @escaping @Sendable (CK_SLOT_ID) throws(KanalError) -> Result
    ) async throws(KanalError) -> Result {
        guard Performance.current?.isOf(self) != true else { throw .nested }
        let cancellation = Lock(false)
        let ask: @Sendable () -> Void = { cancellation.withLock { $0 = true } }
        return try await working(on: worker, cancellation: .asks(ask)) { [self] () throws(KanalError) in
            let isCancelled = { cancellation.withLock { $0 } }
            let window = service.settings.policy.window(isWireless: information.isWireless)
            try service.field.enter(prompt ?? "")
            do throws(KanalError) {
                let slot = try place(waitingFor: window, isCancelled: isCancelled)
                let result = try body(slot)
                service.field.leave(.success)
                return result
            } catch {
                service.field.leave(.failure(error.description))
                throw error
            }
        }
    }
}
