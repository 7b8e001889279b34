public import Secrets

/// A response APDU whose data are secret.
public struct SecretResponse: ~Copyable {
    public let status: StatusWord
    public let data: Secret

    public init(_ status: StatusWord, data: consuming Secret) {
        self.status = status
        self.data = data
    }
}
