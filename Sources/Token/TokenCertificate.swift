/// A certificate on the token.
public struct TokenCertificate: Sendable, Equatable {
    /// The file of its record: what names the certificate on this token.
    public var file: UInt16
    public var label: [UInt8]
    public var id: [UInt8]
    /// The certificate's subject, DER; empty where the format has no place for it.
    public var subject: [UInt8]
    /// The certificate, DER.
    public var value: [UInt8]
    /// Whether OpenSC's format describes it: it can be used, and is deleted by OpenSC only.
    public internal(set) var isForeign = false
    public var annotation = ObjectAnnotation()

    /// - Parameter file: 0 before the certificate is stored.
    public init(file: UInt16 = 0, label: [UInt8], id: [UInt8], subject: [UInt8], value: [UInt8]) {
        self.file = file
        self.label = label
        self.id = id
        self.subject = subject
        self.value = value
    }
}

/// A data object on the token.
public struct TokenData: Sendable, Equatable {
    /// The file of its record: what names the object on this token.
    public var file: UInt16
    @Guarded public var label: [UInt8]
    /// The name of the application that the object belongs to.
    @Guarded public var application: [UInt8]
    /// DER; empty if there is none.
    @Guarded public var objectIdentifier: [UInt8]
    @Guarded public var value: [UInt8]
    /// Whether only User may read it.
    public var isPrivate: Bool
    /// Whether OpenSC's format describes it: it can be used, and is deleted by OpenSC only.
    public internal(set) var isForeign = false
    /// Attributes that have no place of their own.
    @GuardedAttributes public var attributes: [UInt32: [UInt8]] = [:]

    /// - Parameter file: 0 before the object is stored.
    public init(
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
public struct TokenObjects: Sendable, Equatable {
    public var keys: [TokenKey] = []
    public var rsaKeys: [TokenRSAKey] = []
    public var ecKeys: [TokenECKey] = []
    public var certificates: [TokenCertificate] = []
    public var data: [TokenData] = []
    public var storedKeys: [TokenStoredKey] = []

    public init(
        keys: [TokenKey] = [], rsaKeys: [TokenRSAKey] = [], certificates: [TokenCertificate] = [],
        data: [TokenData] = []
    ) {
        self.keys = keys
        self.rsaKeys = rsaKeys
        self.certificates = certificates
        self.data = data
    }
}
