// SPDX-License-Identifier: Apache-2.0

import CCryptoki
import GOST
import HostCrypto
import Secrets
import Token
import Tokens

/// Key transport with keys of GOST R 34.10 (PKCS #11 v2.40 current mechanisms, 2.24.9; RFC 4490, 4.2). The receiver's
/// key and the sender's agree on a key that wraps. The sender's is ephemeral unless the parameter names one.
struct KeyTransportCipher {
    unowned let session: Session
    let mechanism: Mechanism
    /// The receiver's public or private key.
    let key: Object

    private var parameters: KeyTransportParameters {
        if case .transport(let parameters) = mechanism.structure { parameters } else { KeyTransportParameters() }
    }

    func wrap(_ value: borrowing Secret) throws(CKError) -> [UInt8] {
        let ukm = try parameters.ukm.isEmpty ? randomUKM() : parameters.ukm
        let peer = try key.attributes.gostPublicKey()
        let agreement = AgreementParameters(derivation: CK_ULONG(CKD_NULL), publicData: peer.bytes, ukm: ukm)
        let sBox = try parameters.sBox ?? key.sBox
        let hash = key.attributes.agreementHash
        var ephemeralKey: SubjectPublicKeyInfo?
        let kek: Secret
        if parameters.key == CK_INVALID_HANDLE {
            let sender = try KeyType(peer.curve).kind.generate(key.attributes, random: session.slot.settings.random)
            ephemeralKey = try sender.publicKeyInfo(for: hash)
            kek = try agreement.agree(size: peer.curve.coordinateSize, hash.derivation, sBox: sBox) {
                _, ukm, hash throws(CKError) in
                try sender.agree(with: peer, ukm: ukm, hash)
            }
        } else {
            kek = try session.agree(agreement, hash.derivation, sBox: sBox, with: sender())
        }
        do throws(GOSTError) {
            let wrapped = try GOST28147KeyWrap.cryptoPro.wrap(value.bytes, kek: kek.bytes, ukm: ukm.span, sBox: sBox)
            return try KeyTransport(wrapped: [UInt8](copying: wrapped), sBox: sBox, ephemeralKey: ephemeralKey).der
        } catch {
            throw error == .invalidKeyLength
                ? .keySizeRange("the key to wrap has \(value.count) bytes")
                : .mechanismParameterInvalid("pUKM has \(ukm.count) bytes")
        }
    }

    func unwrap(_ wrapped: [UInt8]) throws(CKError) -> Secret {
        let transport: KeyTransport
        do { transport = try KeyTransport(der: wrapped.span) } catch {
            throw .wrappedKeyInvalid("the wrapped key is not a GostR3410-KeyTransport in DER")
        }
        var peer = transport.ephemeralKey?.key
        var hash = key.attributes.agreementHash
        if let info = transport.ephemeralKey {
            hash = info.algorithm.algorithm == .gostR34102001 ? .gostR341194 : .streebog256
        } else if parameters.key != CK_INVALID_HANDLE {
            guard let sender = try? session.slot.visibleObject(parameters.key) else {
                throw .keyHandleInvalid("hKey of the parameter is the handle of no object")
            }
            peer = try sender.attributes.gostPublicKey()
        }
        guard let peer else {
            throw .mechanismParameterInvalid(
                "the wrapped key has no ephemeral key, and the parameter names none by hKey")
        }
        let agreement = AgreementParameters(
            derivation: CK_ULONG(CKD_NULL), publicData: peer.bytes, ukm: Array(transport.wrapped.prefix(8)))
        let kek: Secret
        do throws(CKError) {
            kek = try session.agree(agreement, hash.derivation, sBox: transport.sBox, with: key)
        } catch {
            throw error.rawValue == CKR_MECHANISM_PARAM_INVALID
                ? .wrappedKeyInvalid("the ephemeral key does not go with the key that unwraps") : error
        }
        do {
            return try GOST28147KeyWrap.cryptoPro.unwrap(transport.wrapped.span, kek: kek.bytes, sBox: transport.sBox)
        } catch {
            throw .wrappedKeyInvalid("the wrapped key does not belong to the key that unwraps")
        }
    }

    /// The private key that the parameter names.
    private func sender() throws(CKError) -> Object {
        try session.operationKey(
            parameters.key, for: mechanism.type, class: CKO_PRIVATE_KEY, permission: CKA_DERIVE,
            keyTypes: [.gostR3410, .gostR3410With512Bits])
    }

    private func randomUKM() throws(CKError) -> [UInt8] {
        guard let ukm = try? session.slot.settings.random.bytes(8) else { throw .functionFailed }
        return ukm
    }
}
