// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Cryptoki
import Secrets

/// Raw data that an application keeps on a token.
public struct DataObject: Sendable, Equatable {
    /// The name that it was given.
    public let label: String
    /// The application to which they belong.
    public let application: String
    /// The number of bytes.
    public let size: Int
    /// Whether it is seen after the PIN only.
    public let isPrivate: Bool
    let reference: ObjectReference
}

extension Session {
    /// The data objects on the token. Private ones are seen after the PIN only.
    public func dataObjects() throws(KanalError) -> [DataObject] {
        try objects([(CKA_CLASS, CKO_DATA.octets), (CKA_TOKEN, [1])], [CKA_VALUE])
            .map { DataObject($0.handle, $0.attributes) }
    }

    /// The bytes of a data object.
    public func value(of object: DataObject) throws(KanalError) -> SecretBytes {
        let handle = try handle(of: object.reference)
        let value = try call { session throws(CKError) in
            let attributes = try session.attributes(of: handle, types: [CKA_VALUE])
            return attributes.secret(CKA_VALUE) ?? SharedSecret(copying: attributes[CKA_VALUE] ?? [])
        }
        return SecretBytes(value)
    }

    /// Stores bytes on the token. The PIN is needed.
    ///
    /// - Parameters:
    ///   - application: The application that owns them.
    ///   - isPrivate: Whether they are visible after the PIN only.
    public func addData(
        _ value: Span<UInt8>, label: String, application: String = "", isPrivate: Bool = true
    ) throws(KanalError) -> DataObject {
        let secret = SharedSecret(Secret(copying: value))
        let handle = try call { session throws(CKError) in
            try session.createObject(
                Attributes(template: [
                    (CKA_CLASS, .open(CKO_DATA.octets)), (CKA_TOKEN, .open([1])),
                    (CKA_PRIVATE, .open([isPrivate ? 1 : 0])), (CKA_LABEL, .open(Array(label.utf8))),
                    (CKA_APPLICATION, .open(Array(application.utf8))), (CKA_VALUE, .secret(secret)),
                ]))
        }
        let attributes = try call { session throws(CKError) in try session.attributes(of: handle, types: [CKA_VALUE]) }
        return DataObject(handle, attributes)
    }

    /// Removes a data object from the token. It takes the PIN.
    public func delete(_ object: DataObject) throws(KanalError) { try delete(object.reference) }
}

extension DataObject {
    fileprivate init(_ handle: CK_OBJECT_HANDLE, _ attributes: Attributes) {
        label = attributes.text(CKA_LABEL)
        application = attributes.text(CKA_APPLICATION)
        size = attributes.secret(CKA_VALUE)?.secret.count ?? attributes[CKA_VALUE]?.count ?? 0
        isPrivate = attributes[CKA_PRIVATE] == [1]
        reference = ObjectReference(handle, attributes)
    }
}
