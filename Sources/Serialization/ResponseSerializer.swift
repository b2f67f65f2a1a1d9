/// Turns the response of an upstream into normalized JSON: validate, then decode.
///
/// Hermetic: no clock, no file, no log. The same input gives the same bytes.
public struct ResponseSerializer: Sendable {
    public let options: SerializationOptions
    public let limits: Limits

    public init(options: SerializationOptions = SerializationOptions(), limits: Limits = Limits()) {
        self.options = options
        self.limits = limits
    }

    /// Validates and decodes one response.
    /// - Parameter content: the content as it came; nil means there was no data at all, which is not the same as zero bytes.
    /// - Throws: the whole chain of what was refused.
    public func serialize(
        _ response: UpstreamResponse,
        content: Span<UInt8>?
    ) throws(SerializationFailure) -> Answer {
        preconditionFailure("to be written")
    }
}
