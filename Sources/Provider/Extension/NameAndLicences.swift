// SPDX-License-Identifier: Apache-2.0
public import CCryptoki
import Cryptoki

@c @implementation
public func C_EX_SetTokenName(
    _ hSession: CK_SESSION_HANDLE, _ pLabel: UnsafeMutablePointer<CK_CHAR>?, _ ulLabelLen: CK_ULONG
) -> CK_RV {
    call { library throws(CKError) in
        let name = try unsafe octets(pLabel, ulLabelLen, "pLabel", atMost: Session.nameLimit)
        try library.withSession(hSession) { session throws(CKError) in try session.setTokenName(name) }
    }
}

@c @implementation
public func C_EX_GetTokenName(
    _ hSession: CK_SESSION_HANDLE, _ pLabel: UnsafeMutablePointer<CK_CHAR>?,
    _ pulLabelLen: UnsafeMutablePointer<CK_ULONG>?
) -> CK_RV {
    call { library throws(CKError) in
        let place = try unsafe Output(pLabel, pulLabelLen, "pulLabelLen")
        let name = try library.withSession(hSession) { session throws(CKError) in
            try session.tokenName() ?? TokenLabel.absent
        }
        try place.fill(size: name.count) { () throws(CKError) in name }
    }
}

// MARK: Licences and journal

@c @implementation
public func C_EX_SetLicense(
    _ hSession: CK_SESSION_HANDLE, _ ulLicenseNum: CK_ULONG, _ pLicense: UnsafeMutablePointer<CK_BYTE>?,
    _ ulLicenseLen: CK_ULONG
) -> CK_RV {
    call { library throws(CKError) in
        let licence = try unsafe octets(pLicense, ulLicenseLen, "pLicense", atMost: Session.licenceSize)
        try library.withSession(hSession) { session throws(CKError) in
            try session.setLicence(ulLicenseNum, to: licence)
        }
    }
}

@c @implementation
public func C_EX_GetLicense(
    _ hSession: CK_SESSION_HANDLE, _ ulLicenseNum: CK_ULONG, _ pLicense: UnsafeMutablePointer<CK_BYTE>?,
    _ pulLicenseLen: UnsafeMutablePointer<CK_ULONG>?
) -> CK_RV {
    call { library throws(CKError) in
        let place = try unsafe Output(pLicense, pulLicenseLen, "pulLicenseLen")
        _ = try Session.licenceNumber(ulLicenseNum)
        try library.withSession(hSession) { session throws(CKError) in
            try place.fill(size: Session.licenceSize) { () throws(CKError) in try session.licence(ulLicenseNum) }
        }
    }
}

@c @implementation
public func C_EX_GetJournal(
    _ slotID: CK_SLOT_ID, _ pJournal: UnsafeMutablePointer<CK_BYTE>?, _ pulJournalSize: UnsafeMutablePointer<CK_ULONG>?
) -> CK_RV {
    call { library throws(CKError) in
        let place = try unsafe Output(pJournal, pulJournalSize, "pulJournalSize")
        let journal = try library.journal(in: slotID)
        try place.fill(size: journal.count) { () throws(CKError) in journal }
    }
}
