internal import Logging
internal import Platform
internal import Serialization
internal import Workers

/// One serialization on the command line: the same steps as those of an endpoint, in this process and with a worker of its own.
struct CommandSerialization {
    private let serializer: ResponseSerializer
    private let renderer: LocalWorker
    private let thumbnail: Normalization.Thumbnail?

    /// - Parameters:
    ///   - pairs: the options.
    ///   - form: the purpose of the options.
    ///   - format: the format of a thumbnail whose option does not select one.
    /// - Throws: ``CommandFailure`` for wrong usage.
    init(
        _ pairs: [QueryString.Pair],
        for form: OptionForm,
        thumbnailsAs format: ThumbnailFormat? = nil
    ) throws {
        let configuration = try Configuration.reading(only: Setting.isolation + Setting.limits + [.profiles])
        renderer = LocalWorker(WorkerConfiguration(configuration), log: .command(level: .error))
        let namesProfile = pairs.contains { $0.name == OptionName.profile.rawValue }
        let profiles = namesProfile ? try ProfileRegistry.reading(configuration) : .builtIn
        do {
            let options = try OptionParser.parse(pairs, limits: configuration.limits, for: form, profiles: profiles)
            var serialization = options.serialization
            if let format {
                serialization.thumbnails = serialization.thumbnails?.map { $0.inFormat(format) }
            }
            serializer = ResponseSerializer(options: serialization, limits: options.limits, renderer: renderer)
        } catch {
            throw CommandFailure(usage: error.message)
        }
        switch form {
        case .normalize, .value: thumbnail = nil
        case .thumbnail: thumbnail = .init(isNegotiated: false)
        }
    }

    /// Reads the content and returns the response of the endpoint.
    /// - Throws: ``CommandFailure`` if the content cannot be read.
    func response(to upstream: UpstreamResponse, from source: ContentSource) throws(CommandFailure) -> Response {
        let upstream = source.path.map(upstream.inFile) ?? upstream
        do {
            let content = try source.read(maxBytes: serializer.limits.maxContentBytes)
            let normalization = Normalization(
                of: upstream,
                with: serializer,
                requestID: .given(""),
                thumbnail: thumbnail
            )
            return normalization.respond(content.span, renderer)
        } catch {
            switch error {
            case .tooLong(_, let maxBytes):
                return Problem(.contentTooLarge(maxBytes: maxBytes)).response(requestID: "")
            case .system(let error): throw CommandFailure(usage: error.description)
            }
        }
    }
}

extension ThumbnailRequest {
    /// Returns the request with `format`, unless it has a format.
    fileprivate func inFormat(_ format: ThumbnailFormat) -> ThumbnailRequest {
        var request = self
        request.format = request.format ?? format
        return request
    }
}

extension Response {
    var isProblem: Bool { status >= 400 }

    /// The value of the field with this name.
    func field(_ name: String) -> String? {
        fields.first { $0.name == name }?.value
    }
}
