internal import Serialization

/// The serializer for a request's options. Without a query it is the one made at start.
final class ConfiguredSerializer: Sendable {
    /// What the service allows at most.
    let limits: Limits
    private let byDefault: ResponseSerializer

    private let renderer: (any ImageRenderer)?

    /// - Parameter renderer: stands in where pixels are needed; nil where there never are any.
    init(limits: Limits, renderer: (any ImageRenderer)?) {
        self.limits = limits
        self.renderer = renderer
        byDefault = ResponseSerializer(limits: limits, renderer: renderer)
    }

    func serializer(query: String?) throws(RequestError) -> ResponseSerializer {
        guard let query, !query.isEmpty else { return byDefault }
        do {
            let options = try OptionParser.parse(query: query, limits: limits)
            return ResponseSerializer(options: options.serialization, limits: options.limits, renderer: renderer)
        } catch {
            throw .option(error)
        }
    }
}
