internal import HTTP
internal import Logging
internal import Platform
internal import Serialization
internal import Workers

/// The result of a serialization on the command line.
struct CommandResult: ~Copyable {
    let response: Response

    /// The bytes in which the locations of a problem count, unless the content is encoded; empty if there are none.
    let content: [UInt8]

    /// Whether the content is a part of the input: that of a message or an envelope.
    let isPart: Bool

    init(_ response: consuming Response, content: [UInt8] = [], isPart: Bool = false) {
        self.response = response
        self.content = content
        self.isPart = isPart
    }
}

/// One serialization on the command line. It has the same steps as an endpoint, in this process and with a separate
/// worker.
struct CommandSerialization {
    private let serializer: ResponseSerializer
    private let envelopeLimits: Limits
    private let reader: LocalWorker
    private let thumbnail: Normalization.Thumbnail?

    /// - Parameters:
    ///   - pairs: the options.
    ///   - purpose: the purpose of the options.
    ///   - format: the format of a thumbnail whose option does not select one.
    /// - Throws: ``CommandFailure`` for wrong usage.
    init(_ pairs: [QueryString.Pair], for purpose: OptionPurpose, thumbnailsAs format: ThumbnailFormat? = nil) throws {
        let configuration = try Configuration.reading(
            only: Settings.isolation.all + Settings.limits + Settings.boundsOfProfiles + [Settings.server.profiles]
        )
        reader = LocalWorker(.pixels(configuration), log: .command(level: .error))
        serializer = try configuration.serializer(pairs, for: purpose, thumbnailsAs: format)
        envelopeLimits = Envelope.limits(of: configuration.limits, for: serializer)
        switch purpose {
        case .normalize, .value: thumbnail = nil
        case .thumbnail: thumbnail = .init(isNegotiated: false)
        }
    }

    /// Reads the input and returns the response of the endpoint.
    /// - Parameters:
    ///   - upstream: the response, if the input is its content.
    ///   - inputFormat: the format of the input; `nil` if it is detected.
    /// - Throws: ``CommandFailure`` if the input cannot be read.
    func response(
        to upstream: UpstreamResponse,
        in inputFormat: InputFormat? = .direct,
        from source: ContentSource
    ) throws(CommandFailure) -> CommandResult {
        let upstream = source.path.map(upstream.inFile) ?? upstream
        let maxContentBytes = serializer.limits.maxContentBytes
        let maxBytes =
            switch inputFormat {
            case .direct: maxContentBytes
            case .message, nil: Message.maxBytes(maxContentBytes: maxContentBytes)
            case .envelope: Envelope.maxBytes(maxContentBytes: maxContentBytes)
            }
        do {
            let input = try source.read(maxBytes: maxBytes)
            switch inputFormat ?? .detected(in: input.span) {
            case .direct:
                guard input.count <= maxContentBytes else {
                    return CommandResult(Problem(contentOver: maxContentBytes).response(requestID: ""))
                }
                return CommandResult(response(to: upstream, input.span), content: input)
            case .message: return response(toMessage: input)
            case .envelope: return response(toEnvelope: input)
            }
        } catch {
            switch error {
            case .tooLong(_, let maxBytes):
                return CommandResult(Problem(.contentTooLarge(maxBytes: maxBytes)).response(requestID: ""))
            case .system(let error): throw CommandFailure(usage: error.description)
            }
        }
    }

    private func response(toMessage input: [UInt8]) -> CommandResult {
        do {
            let message = try Message(input.span, for: serializer)
            return result(of: message.response, message.content, in: input)
        } catch {
            // The reader decodes pixels, so that every trial is possible.
            let remedy = try? Message.remedy(for: error, input.span, serializer, reader) { _, _, _ in
                RemedyTrial(memory: .unlimited)
            }
            return CommandResult(Problem(error, remedy: remedy).response(requestID: ""), content: input)
        }
    }

    private func response(toEnvelope input: [UInt8]) -> CommandResult {
        do {
            let envelope = try EnvelopeReader.read(input.span, limits: envelopeLimits, memory: .unlimited)
            return result(of: envelope.response, envelope.content, in: input)
        } catch { return CommandResult(Problem(error).response(requestID: ""), content: input) }
    }

    private func result(of upstream: UpstreamResponse, _ content: ContainedBytes?, in input: [UInt8]) -> CommandResult {
        switch content {
        case .none: CommandResult(response(to: upstream, nil))
        case .slice(let range): result(of: upstream, Array(input[range]))
        case .bytes(let bytes): result(of: upstream, bytes)
        }
    }

    private func result(of upstream: UpstreamResponse, _ content: [UInt8]) -> CommandResult {
        CommandResult(response(to: upstream, content.span), content: content, isPart: true)
    }

    private func response(to upstream: UpstreamResponse, _ content: Span<UInt8>?) -> Response {
        let normalization = Normalization(of: upstream, with: serializer, requestID: .given(""), thumbnail: thumbnail)
        return normalization.respond(content, reader, .unlimited)
    }
}

extension Configuration {
    /// Returns the serializer of a command.
    /// - Parameters:
    ///   - pairs: the options.
    ///   - purpose: the purpose of the options.
    ///   - format: the format of a thumbnail whose option does not select one.
    /// - Throws: ``CommandFailure`` for wrong usage.
    func serializer(
        _ pairs: [QueryString.Pair],
        for purpose: OptionPurpose,
        thumbnailsAs format: ThumbnailFormat? = nil
    ) throws -> ResponseSerializer {
        let namesProfile = pairs.contains { $0.name == OptionName.profile.rawValue }
        let profiles = namesProfile ? try ProfileRegistry.reading(self) : .builtIn
        do {
            let options = try OptionParser.parse(pairs, limits: limits, for: purpose, profiles: profiles)
            var serialization = options.serialization
            if let format {
                serialization.thumbnails = serialization.thumbnails?.map { $0.inFormat(format) }
            }
            return ResponseSerializer(options: serialization, limits: options.limits)
        } catch { throw CommandFailure(usage: error.message) }
    }
}

extension ThumbnailRequest {
    /// Returns the request with `format`, unless it already has a format.
    fileprivate func inFormat(_ format: ThumbnailFormat) -> ThumbnailRequest {
        var request = self
        request.format = request.format ?? format
        return request
    }
}

extension Response {
    var isProblem: Bool { status >= 400 }

    /// Returns the value of the field with this name.
    func field(_ name: String) -> String? { fields.first { $0.name == name }?.value }
}
