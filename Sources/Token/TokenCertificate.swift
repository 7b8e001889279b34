/// A certificate on the token.
package struct TokenCertificate: Sendable, Equatable {
    /// The file of its record: what names the certificate on this token.
    package var file: UInt16
    package var label: [UInt8]
    package var id: [UInt8]
    /// The certificate's subject, DER; empty where the format has no place for it.
    package var subject: [UInt8]
    /// The certificate, DER.
    package var value: [UInt8]
    /// Whether OpenSC's format describes it: it can be used, and is deleted by OpenSC only.
    package internal(set) var isForeign = false
    package var annotation = ObjectAnnotation()

    /// - Parameter file: 0 before the certificate is stored.
    package init(file: UInt16 = 0, label: [UInt8], id: [UInt8], subject: [UInt8], value: [UInt8]) {
        self.file = file
        self.label = label
        self.id = id
        self.subject = subject
        self.value = value
    }
}

/// A data object on the token.
package struct TokenData: Sendable, Equatable {
    /// The file of its record: what names the object on this token.
    package var file: UInt16
    @Guarded package var label: [UInt8]
    /// The name of the application that the object belongs to.
    @Guarded package var application: [UInt8]
    /// DER; empty if there is none.
    @Guarded package var objectIdentifier: [UInt8]
    @Guarded package var value: [UInt8]
    /// Whether only User may read it.
    package var isPrivate: Bool
    /// Whether OpenSC's format describes it: it can be used, and is deleted by OpenSC only.
    package internal(set) var isForeign = false
    /// Attributes that have no place of their own.
    @GuardedAttributes package var attributes: [UInt32: [UInt8]] = [:]

    /// - Parameter file: 0 before the object is stored.
    package init(
        file: UInt16 = 0, label: [UInt8], application: [UInt8] = [], objectIdentifier: [UInt8] = [], value: [UInt8],
        isPrivate: Bool
    ) {
        self.file = file
        self.label = label
        self.application = application
        self.objectIdentifier = objectIdentifier
        self.value = value
        self.isPrivate = isPrivate
    }
}

/// What a token holds, as far as the present login may see it.
package struct TokenObjects: Sendable, Equatable {
    package var keys: [TokenKey] = []
    package var rsaKeys: [TokenRSAKey] = []
    package var ecKeys: [TokenECKey] = []
    package var certificates: [TokenCertificate] = []
    package var data: [TokenData] = []
    package var storedKeys: [TokenStoredKey] = []

    package init(
        keys: [TokenKey] = [], rsaKeys: [TokenRSAKey] = [], certificates: [TokenCertificate] = [],
        data: [TokenData] = []
    ) {
        self.keys = keys
        self.rsaKeys = rsaKeys
        self.certificates = certificates
        self.data = data
    }
}
