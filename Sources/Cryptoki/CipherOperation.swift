import CCryptoki
import GOST
import Secrets

/// An encryption or decryption (PKCS #11 v2.40, 5.8 and 5.9).
final class CipherOperation {
    private let cipher: any RunningCipher
    private let direction: CipherDirection
    /// Octets that wait for the rest of their block, or of the text.
    private var pending: [UInt8] = []
    private(set) var isMultiPart = false

    init(_ cipher: any RunningCipher, _ direction: CipherDirection) {
        self.cipher = cipher
        self.direction = direction
    }

    deinit { pending.wipe() }

    /// The octets that the text as a whole gives, or at most.
    func size(ofWhole count: Int) throws(CKError) -> Int {
        guard !isMultiPart else { throw .operationActive }
        return cipher.outputSize(for: count)
    }

    /// As ``size(ofWhole:)``, exactly.
    func exactSize(of data: Span<UInt8>) throws(CKError) -> Int {
        cipher.knowsOutputSize ? try size(ofWhole: data.count) : try cipher.process(data).count
    }

    /// The octets that a further part gives.
    func size(ofPart count: Int) -> Int {
        guard let granularity = cipher.granularity else { return 0 }
        return (pending.count + count) / granularity * granularity
    }

    /// The octets that the end gives, or at most.
    var finalSize: Int { cipher.granularity == nil ? cipher.outputSize(for: pending.count) : 0 }

    /// As ``finalSize``, exactly.
    func exactFinalSize() throws(CKError) -> Int {
        let text = pending
        return cipher.knowsOutputSize ? finalSize : try cipher.process(text.span).count
    }

    func process(_ data: Span<UInt8>) throws(CKError) -> Secret {
        if let granularity = cipher.granularity {
            guard data.count % granularity == 0 else { throw direction.lengthRange }
        }
        return try cipher.process(data)
    }

    func update(_ data: Span<UInt8>) throws(CKError) -> Secret {
        isMultiPart = true
        let size = size(ofPart: data.count)
        guard cipher.granularity == nil || !pending.isEmpty || size < data.count else {
            return try cipher.process(data)
        }
        for index in data.indices { pending.append(data[index]) }
        guard cipher.granularity != nil else { return Secret(count: 0) }
        var text: [UInt8] = []
        swap(&text, &pending)
        defer { text.wipe() }
        for octet in text.dropFirst(size) { pending.append(octet) }
        return try cipher.process(text.span.extracting(first: size))
    }

    func finalize() throws(CKError) -> Secret {
        var text: [UInt8] = []
        swap(&text, &pending)
        defer { text.wipe() }
        if cipher.granularity == nil { return try cipher.process(text.span) }
        guard text.isEmpty else { throw direction.lengthRange }
        return Secret(count: 0)
    }
}
