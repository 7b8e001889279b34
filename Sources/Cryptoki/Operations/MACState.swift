// SPDX-License-Identifier: Apache-2.0

import CCryptoki
import GOST
import HostCrypto
import Secrets
import Token
import Tokens

/// A MAC in progress.
final class MACState {
    private enum State: ~Copyable {
        case gost28147(GOST28147IMIT)
        case omac(OMAC)
        case hmac(HMACState)

        mutating func update(_ data: Span<UInt8>) {
            switch consume self {
            case .gost28147(var code):
                code.update(data)
                self = .gost28147(code)
            case .omac(var code):
                code.update(data)
                self = .omac(code)
            case .hmac(var code):
                code.update(data)
                self = .hmac(code)
            }
        }
    }

    let size: Int
    private var state: State?

    init(
        _ algorithm: MACAlgorithm, key: borrowing Secret, sBox: SBox, parameter: [UInt8]
    ) throws(CKError) {
        size = algorithm.size
        do throws(GOSTError) {
            switch algorithm {
            case .gost28147:
                state = .gost28147(
                    try GOST28147IMIT(
                        key: key.bytes, iv: parameter.span, sBox: sBox, meshing: sBox != .gost28147Test))
                return
            case .magma: state = .omac(try OMAC(.magma, key: key.bytes))
            case .kuznyechik: state = .omac(try OMAC(.kuznyechik, key: key.bytes))
            case .hmac(let hash):
                do throws(HostCryptoError) {
                    let code = try HMACState(hash, key: key.bytes)
                    state = .hmac(code)
                } catch {
                    throw GOSTError.libraryFailure
                }
            }
        } catch {
            throw CKError(error)
        }
        guard parameter.isEmpty else {
            throw .mechanismParameterInvalid("the parameter has \(parameter.count) bytes, and must have none")
        }
    }

    func update(_ data: Span<UInt8>) { state?.update(data) }

    func finalize() throws(CKError) -> Secret {
        guard let state = state.take() else { throw .operationNotInitialised }
        switch consume state {
        case .gost28147(let code): return code.finalize()
        case .omac(let code): return code.finalize()
        case .hmac(let code):
            do throws(HostCryptoError) { return try code.finalize() } catch { throw CKError(error) }
        }
    }
}

/// Digests that applications have saved (PKCS #11 v2.40, 5.6.7).
///
/// libcrypto does not export a digest's state. So an application gets the name of a copy in this process. The oldest
/// copies end when there are too many.
struct SavedStates {
    private var states: [(name: [UInt8], digest: MessageDigest)] = []

    /// The bytes of a name.
    static let nameSize = 16
    private static let limit = 64

    /// Keeps a copy of a digest.
    ///
    /// - Returns: Its name.
    mutating func save(_ digest: MessageDigest, random: any RandomSource) throws(CKError) -> [UInt8] {
        guard let name = try? random.bytes(Self.nameSize) else { throw .functionFailed }
        states.append((name, try digest.copy()))
        states = states.suffix(Self.limit)
        return name
    }

    /// A digest that goes on where the copy was made.
    ///
    /// - Throws: `CKR_SAVED_STATE_INVALID`.
    func digest(_ name: [UInt8]) throws(CKError) -> MessageDigest {
        guard let state = states.first(where: { $0.name == name }) else { throw .savedStateInvalid }
        return try state.digest.copy()
    }
}

extension Session {
    /// The number of bytes of the name that ``saveState()`` returns.
    ///
    /// - Throws: `CKR_OPERATION_NOT_INITIALIZED` without an active operation, `CKR_STATE_UNSAVEABLE` unless it is a digest.
    package func stateSize() throws(CKError) -> Int {
        let operations = activeOperations & ~CKF_FIND_OBJECTS
        guard operations != 0 else { throw .operationNotInitialised }
        guard operations == CKF_DIGEST else { throw .stateUnsaveable }
        return SavedStates.nameSize
    }

    /// Saves the active digest. It stays active.
    package func saveState() throws(CKError) -> [UInt8] {
        guard let digest else { throw .operationNotInitialised }
        return try slot.sessions.savedStates.save(digest, random: slot.settings.random)
    }

    /// Goes on with a saved digest, in place of all active operations but a search.
    ///
    /// - Parameter hasKeys: Whether the application names keys; a digest has none.
    package func restoreState(_ state: [UInt8], hasKeys: Bool) throws(CKError) {
        let saved = try slot.sessions.savedStates.digest(state)
        guard !hasKeys else { throw .keyNotNeeded("the state is a digest's, which has no key") }
        cancel(~CKF_FIND_OBJECTS)
        digest = saved
    }
}
