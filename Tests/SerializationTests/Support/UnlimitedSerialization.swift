import Serialization

// The calls of tests that do not concern memory.

extension ResponseSerializer {
    func serialize(_ response: UpstreamResponse, content: Span<UInt8>?) throws(SerializationFailure) -> Answer {
        try serialize(response, content: content, memory: .unlimited)
    }

    func serialize(
        _ response: UpstreamResponse,
        content: Span<UInt8>?,
        renderer: any ImageRenderer
    ) throws(SerializationFailure) -> Answer {
        try serialize(response, content: content, renderer: renderer, memory: .unlimited)
    }

    func serializeAtOnce(_ response: UpstreamResponse, content: Span<UInt8>?) throws(SerializationFailure) -> Answer? {
        try serializeAtOnce(response, content: content, memory: .unlimited)
    }

    func thumbnail(
        of response: UpstreamResponse,
        content: Span<UInt8>?,
        renderer: any ImageRenderer
    ) throws(SerializationFailure) -> ThumbnailAnswer {
        try thumbnail(of: response, content: content, renderer: renderer, memory: .unlimited)
    }

    func thumbnailAtOnce(
        of response: UpstreamResponse,
        content: Span<UInt8>?
    ) throws(SerializationFailure) -> ThumbnailAnswer? {
        try thumbnailAtOnce(of: response, content: content, memory: .unlimited)
    }

    func remedy(
        for failure: SerializationFailure,
        _ response: UpstreamResponse,
        content: Span<UInt8>?,
        permit: @escaping (ResponseSerializer, Span<UInt8>) -> RemedyTrial? = { _, _ in RemedyTrial() }
    ) -> Remedy? {
        remedy(for: failure, response, content: content, memory: .unlimited, permit: permit)
    }

    func acceptsTruncated(_ response: UpstreamResponse, content: Span<UInt8>) -> Bool {
        acceptsTruncated(response, content: content) { _, _ in RemedyTrial() }
    }
}

extension RemedyTrial {
    init() {
        self.init(memory: .unlimited)
    }
}

extension JSONReader {
    static func read(
        _ content: Span<UInt8>,
        options: Options,
        charset: String? = nil,
        into writer: inout JSONWriter,
        warnings: inout WarningList
    ) throws(JSONError) -> Summary {
        try read(content, options: options, memory: .unlimited, charset: charset, into: &writer, warnings: &warnings)
    }
}

extension PropertyListReader.Options {
    init() {
        self.init(memory: .unlimited)
    }
}

extension XMLReader.Options {
    init(_ layout: Layout) {
        self.init(layout, memory: .unlimited)
    }
}
