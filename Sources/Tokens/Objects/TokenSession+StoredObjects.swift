// SPDX-License-Identifier: Apache-2.0
import APDU
import CCryptoki
import GOST
import HostCrypto
import Locking
package import Secrets
package import Token

/// The objects of the token.
extension TokenSession {
    /// All objects that the login may see, in their order.
    ///
    /// - Parameters:
    ///   - values: The values that the search reads, too.
    ///   - isWanted: The certificates and data objects whose values are read after it.
    package func objects(
        with values: ObjectValues = .none, reading isWanted: (TokenObject) -> Bool = { _ in false }
    ) throws(TokensError) -> [TokenObject] {
        let hidden = slots.settings.policy.hiddenKeys
        let (found, login) = try withSlot { slot throws(TokensError) in
            let found = try slot.withTokenInSession { token throws(TokenError) in
                try token.objects(reading: values, hiding: hidden)
            }
            return (found, slot.login)
        }
        let visible = found.filter { login == .user || !$0.isHidden }
        let unread = visible.filter { !$0.isRead && isWanted($0) }
        let values = try read(unread)
        let objects = visible.map { object in
            unread.firstIndex(of: object).flatMap { values[$0] } ?? object
        }
        known.withLock { $0 = objects }
        return objects
    }

    /// Objects with their values, in their order; nil for an object that has changed.
    private func read(_ objects: [TokenObject]) throws(TokensError) -> [TokenObject?] {
        guard !objects.isEmpty else { return [] }
        return try withToken { token throws(TokenError) in try token.read(objects) }
    }

    /// The object as it is on the token now, found by its identifier if it is not as it was.
    ///
    /// - Throws: A refusal for an object that is gone.
    package func present(_ object: TokenObject) throws(TokensError) -> TokenObject {
        if let same = known.withLock({ $0?.first { $0.isSame(as: object) } }) { return same }
        let id = object.uniqueID
        // The identifier of a certificate follows from its value.
        guard
            let found = try objects(reading: { object.isCertificate && $0.isCertificate })
                .first(where: { $0.uniqueID == id })
        else { throw .refused(.object, "the object is not on the token any more") }
        return found
    }

    /// The value of a data object.
    package func value(of object: TokenObject) throws(TokensError) -> Secret {
        let present = try present(object)
        let read = present.isRead ? present : try read([present])[0]
        guard case .data(let data)? = read?.content, let value = data.value else {
            throw .refused(.object, "the object is not on the token any more")
        }
        return Secret(copying: value)
    }

    /// Stores a certificate.
    ///
    /// - Parameter value: The certificate in DER.
    package func storeCertificate(
        _ value: [UInt8], id: [UInt8], label: [UInt8]
    ) throws(TokensError) -> TokenObject {
        guard !value.isEmpty else { throw .refused(.arguments, "the certificate is empty") }
        let subject = CertificateNames(certificate: value)?.subject ?? []
        return try store(TokenObject(.certificate(subject: subject, value: value), label: label, id: id))
    }

    /// Stores data of an application.
    package func storeData(
        _ value: borrowing Secret, label: [UInt8], application: [UInt8], isPrivate: Bool
    ) throws(TokensError) -> TokenObject {
        let data = TokenData(application: application, value: [UInt8](copying: value))
        return try store(TokenObject(.data(data), label: label, isPrivate: isPrivate))
    }

    func store(_ object: TokenObject) throws(TokensError) -> TokenObject {
        try requireLogin(.user)
        let stored = try withToken { token throws(TokenError) in try token.store(object) }
        known.withLock { $0?.append(stored) }
        return stored
    }

    /// Deletes an object.
    package func delete(_ object: TokenObject) throws(TokensError) {
        let object = try present(object)
        guard !object.isForeign, object[CKA_DESTROYABLE] != [0] else {
            throw .refused(.action, "the object is protected against deletion, or another program's")
        }
        try requireLogin(.user)
        try withToken { token throws(TokenError) in try token.delete(object) }
        known.withLock { $0?.removeAll { $0 == object } }
    }

    /// Random bytes from the token's generator, mixed with the operating system's.
    package func randomBytes(_ count: Int) throws(TokensError) -> [UInt8] {
        try withToken { token throws(TokenError) in try token.randomBytes(count) }
    }
}
