package import Serialization

// The calls of tests that do not concern memory.

extension ResponseSerializer {
    package func serialize(_ response: UpstreamResponse, content: Span<UInt8>?) throws(SerializationFailure) -> Answer {
        try serialize(response, content: content, memory: .unlimited)
    }

    package func serialize(
        _ response: UpstreamResponse,
        content: Span<UInt8>?,
        reader: any ImageReader
    ) throws(SerializationFailure) -> Answer {
        try serialize(response, content: content, reader: reader, memory: .unlimited)
    }

    package func serializeAtOnce(
        _ response: UpstreamResponse,
        content: Span<UInt8>?
    ) throws(SerializationFailure) -> SerializationStep {
        try serializeAtOnce(response, content: content, memory: .unlimited)
    }

    package func thumbnail(
        of response: UpstreamResponse,
        content: Span<UInt8>?,
        reader: any ImageReader
    ) throws(SerializationFailure) -> ThumbnailAnswer {
        try thumbnail(of: response, content: content, reader: reader, memory: .unlimited)
    }

    package func thumbnailAtOnce(
        of response: UpstreamResponse,
        content: Span<UInt8>?
    ) throws(SerializationFailure) -> ThumbnailStep {
        try thumbnailAtOnce(of: response, content: content, memory: .unlimited)
    }

    package func remedy(
        for failure: SerializationFailure,
        _ response: UpstreamResponse,
        content: Span<UInt8>?,
        permit: @escaping (ResponseSerializer, Span<UInt8>) -> RemedyTrial? = { _, _ in RemedyTrial() }
    ) -> Remedy? {
        try? remedy(for: failure, response, content: content, memory: .unlimited, permit: permit)
    }

    package func acceptsTruncated(_ response: UpstreamResponse, content: Span<UInt8>) -> Bool {
        (try? acceptsTruncated(response, content: content) { _, _ in RemedyTrial() }) ?? false
    }
}

extension RemedyTrial {
    package init() {
        self.init(memory: .unlimited)
    }
}

extension JSONReader {
    package static func read(
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
    package init() {
        self.init(memory: .unlimited)
    }
}

extension XMLReader.Options {
    package init(_ layout: Layout) {
        self.init(layout, memory: .unlimited)
    }
}
