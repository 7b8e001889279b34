// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Cryptoki
import Locking

/// A token that is being worked with, inside ``Token/perform(as:pin:prompt:waitingFor:_:)``.
///
/// Its functions block until the token has answered. A session cannot be stored or leave the block.
public struct Session: ~Copyable {
    let handle: CK_SESSION_HANDLE
    let token: Token
    let role: Role
    var library: Library { token.service.library }
    /// The slot where the token is.
    var slot: CK_SLOT_ID { token.state.withLock { $0.slot } }

    /// Runs `body` with the library's session.
    func call<Result>(_ body: (Cryptoki.Session) throws(CKError) -> Result) throws(KanalError) -> Result {
        try translated { () throws(CKError) in try library.withSession(handle, body) }
    }

    /// The objects that the login may see and that match a template, with the attributes that are wanted.
    func objects(
        _ template: [(type: CK_ATTRIBUTE_TYPE, value: [UInt8])], _ types: [CK_ATTRIBUTE_TYPE]
    ) throws(KanalError) -> [(handle: CK_OBJECT_HANDLE, attributes: Attributes)] {
        try call { session throws(CKError) in
            session.cancel(CKF_FIND_OBJECTS)
            try session.findObjectsInit(Attributes(template: template))
            defer { session.cancel(CKF_FIND_OBJECTS) }
            var found: [(CK_OBJECT_HANDLE, Attributes)] = []
            for handle in try session.findObjects(limit: .max) {
                found.append((handle, try session.attributes(of: handle, types: types)))
            }
            return found
        }
    }

    /// Random bytes from the token's generator, mixed with the operating system's.
    public func randomBytes(_ count: Int) throws(KanalError) -> [UInt8] {
        guard count >= 0 else { throw .invalidArgument("a negative count of random bytes") }
        return try call { session throws(CKError) in try session.generateRandom(count) }
    }
}

/// Refers to an object: by its handle while the session lasts, and after that by its persistent identifier.
struct ObjectReference: Sendable, Equatable {
    let handle: CK_OBJECT_HANDLE
    let uniqueID: [UInt8]

    init(_ handle: CK_OBJECT_HANDLE, _ attributes: Attributes) {
        self.handle = handle
        uniqueID = attributes[CKA_UNIQUE_ID] ?? []
    }
}

extension Session {
    /// The object's present handle.
    func handle(of object: ObjectReference) throws(KanalError) -> CK_OBJECT_HANDLE {
        let isKnown = try call { session throws(CKError) in
            (try? session.attributes(of: object.handle, types: [CKA_UNIQUE_ID]))?[CKA_UNIQUE_ID] == object.uniqueID
        }
        if isKnown { return object.handle }
        guard !object.uniqueID.isEmpty, let found = try objects([(CKA_UNIQUE_ID, object.uniqueID)], []).first else {
            throw .objectNotFound
        }
        return found.handle
    }

    /// Removes an object from the token.
    func delete(_ object: ObjectReference) throws(KanalError) {
        let handle = try handle(of: object)
        try call { session throws(CKError) in try session.destroyObject(handle) }
    }
}

extension CK_ULONG {
    /// The number as an attribute's value holds it.
    var octets: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: self >> (8 * $0)) } }
}
