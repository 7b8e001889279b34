// SPDX-License-Identifier: Apache-2.0
public import CCryptoki
import Cryptoki
import Secrets
import Tokens

@c @implementation
public func C_CreateObject(
    _ hSession: CK_SESSION_HANDLE, _ pTemplate: UnsafeMutablePointer<CK_ATTRIBUTE>?, _ ulCount: CK_ULONG,
    _ phObject: UnsafeMutablePointer<CK_OBJECT_HANDLE>?
) -> CK_RV {
    call { library throws(CKError) in
        let object = try unsafe output(phObject, "phObject")
        let template = try unsafe Attributes(pTemplate, ulCount)
        unsafe object.pointee = try library.withSession(hSession) { session throws(CKError) in
            try session.createObject(template)
        }
    }
}

@c @implementation
public func C_CopyObject(
    _ hSession: CK_SESSION_HANDLE, _ hObject: CK_OBJECT_HANDLE, _ pTemplate: UnsafeMutablePointer<CK_ATTRIBUTE>?,
    _ ulCount: CK_ULONG, _ phNewObject: UnsafeMutablePointer<CK_OBJECT_HANDLE>?
) -> CK_RV {
    call { library throws(CKError) in
        let copy = try unsafe output(phNewObject, "phNewObject")
        let template = try unsafe Attributes(pTemplate, ulCount)
        unsafe copy.pointee = try library.withSession(hSession) { session throws(CKError) in
            try session.copyObject(hObject, template)
        }
    }
}

@c @implementation
public func C_DestroyObject(_ hSession: CK_SESSION_HANDLE, _ hObject: CK_OBJECT_HANDLE) -> CK_RV {
    call { library throws(CKError) in
        try library.withSession(hSession) { session throws(CKError) in try session.destroyObject(hObject) }
    }
}

@c @implementation
public func C_GetObjectSize(
    _ hSession: CK_SESSION_HANDLE, _ hObject: CK_OBJECT_HANDLE, _ pulSize: UnsafeMutablePointer<CK_ULONG>?
) -> CK_RV {
    call { library throws(CKError) in
        let size = try unsafe output(pulSize, "pulSize")
        unsafe size.pointee = try library.withSession(hSession) { session throws(CKError) in
            try session.objectSize(hObject)
        }
    }
}

@c @implementation
public func C_GetAttributeValue(
    _ hSession: CK_SESSION_HANDLE, _ hObject: CK_OBJECT_HANDLE, _ pTemplate: UnsafeMutablePointer<CK_ATTRIBUTE>?,
    _ ulCount: CK_ULONG
) -> CK_RV {
    call { library throws(CKError) in
        guard unsafe pTemplate != nil || ulCount == 0 else { throw .argumentsBad("pTemplate is NULL") }
        let template = try unsafe UnsafeMutableBufferPointer(
            start: pTemplate, count: input(pTemplate, ulCount, "pTemplate", atMost: listLimit).count)
        let types = unsafe template.map { unsafe $0.type }
        let attributes = try library.withSession(hSession) { session throws(CKError) in
            try session.attributes(of: hObject, types: types)
        }
        // Every attribute is answered, also after an error. The last error is returned.
        var failure: CKError?
        for index in template.indices {
            do throws(CKError) {
                try unsafe answer(&template[index], from: attributes)
            } catch {
                failure = error.following(failure)
            }
        }
        if let failure { throw failure }
    }
}

/// Answers one attribute of C_GetAttributeValue (PKCS #11 v2.40, 5.7).
private func answer(_ attribute: inout CK_ATTRIBUTE, from attributes: Attributes) throws(CKError) {
    let type = unsafe attribute.type
    if !Session.isSensitive(type, in: attributes), !Attributes.holdsTemplate(type), let value = attributes.secret(type)
    {
        return try unsafe fill(&attribute, with: value.secret)
    }
    guard let value = attributes[type], !Session.isSensitive(type, in: attributes) else {
        unsafe attribute.ulValueLen = .unavailable
        throw Session.isSensitive(type, in: attributes)
            ? .attributeSensitive("\(attribute: type) may not be read")
            : .attributeTypeInvalid("the object has no \(attribute: type)")
    }
    guard Attributes.holdsTemplate(type) else { return try unsafe fill(&attribute, with: value.span) }
    guard let template = Attributes(packed: value) else {
        unsafe attribute.ulValueLen = .unavailable
        throw .deviceError
    }
    let size = unsafe template.types.count * MemoryLayout<CK_ATTRIBUTE>.stride
    try unsafe fill(&attribute, size: size) { place throws(CKError) in
        let elements = unsafe place.assumingMemoryBound(to: CK_ATTRIBUTE.self)
        var failure: CKError?
        for (index, type) in template.types.sorted().enumerated() {
            unsafe elements[index].type = type
            let value = template[type] ?? []
            do throws(CKError) { try unsafe fill(&elements[index], with: value.span) } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }
}

private func fill(_ attribute: inout CK_ATTRIBUTE, with value: borrowing Secret) throws(CKError) {
    try unsafe fill(&attribute, with: value.bytes)
}

private func fill(_ attribute: inout CK_ATTRIBUTE, with value: Span<UInt8>) throws(CKError) {
    try unsafe fill(&attribute, size: value.count) { place throws(CKError) in
        unsafe value.withUnsafeBytes { bytes in
            if let start = bytes.baseAddress { unsafe place.copyMemory(from: start, byteCount: bytes.count) }
        }
    }
}

/// Returns the length of a value, and writes the value where there is room for it.
private func fill(
    _ attribute: inout CK_ATTRIBUTE, size: Int, _ write: (UnsafeMutableRawPointer) throws(CKError) -> Void
) throws(CKError) {
    let room = unsafe attribute.ulValueLen
    unsafe attribute.ulValueLen = CK_ULONG(size)
    guard let place = unsafe attribute.pValue else { return }
    guard room >= CK_ULONG(size) else {
        unsafe attribute.ulValueLen = .unavailable
        throw CKError(CKR_BUFFER_TOO_SMALL, unsafe "\(attribute: attribute.type) takes \(size) bytes, not \(room)")
    }
    try unsafe write(place)
}

@c @implementation
public func C_SetAttributeValue(
    _ hSession: CK_SESSION_HANDLE, _ hObject: CK_OBJECT_HANDLE, _ pTemplate: UnsafeMutablePointer<CK_ATTRIBUTE>?,
    _ ulCount: CK_ULONG
) -> CK_RV {
    call { library throws(CKError) in
        let template = try unsafe Attributes(pTemplate, ulCount)
        try library.withSession(hSession) { session throws(CKError) in
            try session.setAttributes(of: hObject, template)
        }
    }
}

// MARK: Search

@c @implementation
public func C_FindObjectsInit(
    _ hSession: CK_SESSION_HANDLE, _ pTemplate: UnsafeMutablePointer<CK_ATTRIBUTE>?, _ ulCount: CK_ULONG
) -> CK_RV {
    call { library throws(CKError) in
        let template = try unsafe Attributes(pTemplate, ulCount)
        try library.withSession(hSession) { session throws(CKError) in try session.findObjectsInit(template) }
    }
}

@c @implementation
public func C_FindObjects(
    _ hSession: CK_SESSION_HANDLE, _ phObject: UnsafeMutablePointer<CK_OBJECT_HANDLE>?, _ ulMaxObjectCount: CK_ULONG,
    _ pulObjectCount: UnsafeMutablePointer<CK_ULONG>?
) -> CK_RV {
    call { library throws(CKError) in
        let count = try unsafe output(pulObjectCount, "pulObjectCount")
        guard unsafe phObject != nil || ulMaxObjectCount == 0 else {
            throw .argumentsBad("phObject is NULL, and ulMaxObjectCount \(ulMaxObjectCount)")
        }
        let limit = Int(clamping: ulMaxObjectCount)
        let found = try library.withSession(hSession) { session throws(CKError) in
            try session.findObjects(limit: limit)
        }
        for (index, handle) in found.enumerated() { unsafe phObject?[index] = handle }
        unsafe count.pointee = CK_ULONG(found.count)
    }
}

@c @implementation
public func C_FindObjectsFinal(_ hSession: CK_SESSION_HANDLE) -> CK_RV {
    call(givesBack: true) { library throws(CKError) in
        try library.withSession(hSession) { session throws(CKError) in try session.findObjectsFinal() }
    }
}
