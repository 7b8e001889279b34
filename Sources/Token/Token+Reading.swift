import APDU
import SecureChannel

/// Reading several files, in as few round trips as the token allows.
extension Token {
    /// Bytes of a file that are read in the same round trip in which it is selected. Most records are shorter.
    static let firstBlock = 200

    /// Whether several commands cost one round trip.
    var hasBatches: Bool { channel?.capabilities.features.contains(.batch) == true }

    /// The contents of files; nil for one that is not there, or that this login may not read.
    func readFiles(_ paths: [FilePath]) throws(TokenError) -> [[UInt8]?] {
        var answers: [Response] = []
        return try readFiles(paths, and: [], answers: &answers)
    }

    /// The contents of files, and the answers to further commands in the same round trips, where there are batches.
    func readFiles(
        _ paths: [FilePath], and further: [Step], answers: inout [Response]
    ) throws(TokenError) -> [[UInt8]?] {
        var contents: [[UInt8]?] = []
        guard hasBatches else {
            for path in paths { contents.append(try readIfAllowed(path)) }
            return contents
        }
        let steps = paths.flatMap { [Step.select($0), .read(at: 0, count: Self.firstBlock)] } + further
        guard !steps.isEmpty else { return [] }
        let responses = try send(steps, goesOn: true)
        guard responses.count == steps.count else { throw .malformedAnswer }
        answers = Array(responses.suffix(further.count))
        for (index, path) in paths.enumerated() {
            let content = try content(Array(responses[2 * index...2 * index + 1]))
            contents.append(content?.count == Self.firstBlock ? try readIfAllowed(path) : content)
        }
        return contents
    }

    /// The content of a file: a template that tells its size, and one READ BINARY if that is enough.
    func readIfAllowed(_ path: FilePath) throws(TokenError) -> [UInt8]? {
        do throws(TokenError) {
            return try read(path)
        } catch {
            switch error {
            case .notFound, .notLoggedIn: return nil
            default: throw error
            }
        }
    }

    /// What SELECT and READ BINARY brought; nil if there is no such file, or none that this login may read.
    func content(_ responses: [Response]) throws(TokenError) -> [UInt8]? {
        for response in responses {
            switch response.status {
            case .success, .endOfFileReached: continue
            case .fileNotFound: return nil
            case .securityStatusNotSatisfied:
                userLostRight()
                return nil
            default: throw TokenError(response.status)
            }
        }
        return responses.last?.data
    }
}
