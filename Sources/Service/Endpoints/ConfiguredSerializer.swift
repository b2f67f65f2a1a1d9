internal import Serialization

/// The serializer for a request's options. Without a query it is the one made at start.
final class ConfiguredSerializer: Sendable {
    /// What the service allows at most.
    let limits: Limits
    private let byDefault: ResponseSerializer

    init(limits: Limits) {
        self.limits = limits
        byDefault = ResponseSerializer(limits: limits)
    }

    func serializer(query: String?) throws(RequestError) -> ResponseSerializer {
        guard let query, !query.isEmpty else { return byDefault }
        do {
            let options = try OptionParser.parse(query: query, limits: limits)
            return ResponseSerializer(options: options.serialization, limits: options.limits)
        } catch {
            throw .option(error)
        }
    }
}
