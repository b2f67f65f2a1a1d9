// Finds an option, field or setting with which a rejected response is accepted. The error determines the candidates. A
// candidate is proposed only if the response is accepted with it, so that it does not lead to another error.

/// One option, field or setting with which a rejected response is accepted.
public enum Remedy: Equatable, Sendable {
    /// `lenient`, with the leniencies of the request and those that the content needs.
    case lenient(Leniencies)
    /// `records=many`.
    case manyRecords
    /// `fragments=true`.
    case fragments
    /// `duplicates=last`.
    case lastDuplicate
    /// `surrogates=replace`.
    case replacedSurrogates
    /// `prefixes=strip`.
    case strippedPrefix
    /// `type` with the media type of scripts: the content is a function call (JSONP).
    case functionCall
    /// `type`: the media type that the content looks like.
    case type(String)
    /// `type` with a charset in which the content is valid text. Whether it is the right one cannot be determined.
    case charset(String)
    /// `accept-types`: the acceptable types of the request, and that of the response.
    case acceptableTypes([String])
    /// `accept-status`: the acceptable codes of the request, and that of the response.
    case acceptableStatuses([String])
    /// The request without the field `Content-Encoding`.
    case noContentCoding
    /// The field `Content-Encoding` with the codings of the content.
    case contentCoding(String)
    /// `serializer=http`, which returns the content as it is.
    case rawContent
    /// `serializer`: the one that the media type selects, or that reads the content as what it is.
    case serializer(SerializerKind)
    /// `truncated=allow`.
    case truncated
    /// `thumbnail=none`.
    case noThumbnail
    /// `csv-escape=backslash`.
    case backslashEscapes
    /// `csv-quote=none`.
    case noQuotes
    /// `select-missing=empty`.
    case emptyPart
    /// `max-nesting-depth` with its default: the request has a lower value.
    case defaultNestingDepth(Int)
    /// A higher limit for the nesting of arrays, objects and elements, which only the service can set.
    case nestingDepth(max: Int)
}

extension Remedy {
    /// A remedy that an error suggests, before it is known whether the response is accepted with it.
    package enum Candidate: Sendable {
        case lenient
        case manyRecords
        case fragments
        case lastDuplicate
        case replacedSurrogates
        case strippedPrefix
        case functionCall
        /// ``Remedy/type(_:)``.
        case otherType
        /// ``Remedy/charset(_:)``.
        case otherCharset
        /// ``Remedy/charset(_:)``, for the bytes that escapes of ASCII content represent.
        case otherCharsetOfEscapes
        /// ``Remedy/defaultNestingDepth(_:)`` or ``Remedy/nestingDepth(max:)``.
        case deeperNesting
        case truncated
        case noThumbnail
        case backslashEscapes
        case noQuotes
        /// ``Remedy/serializer(_:)``.
        case serializer(SerializerKind)
    }
}

/// A trial of a remedy must read an image, and this thread must not do that.
public struct ReaderRequired: Error {
    public init() {}
}

/// Permits one trial of a remedy, and grants its memory.
public struct RemedyTrial: Sendable {
    /// The source of memory beyond ``ResponseSerializer/memoryBytes(for:of:)``.
    public let memory: any MemoryGrant

    public init(memory: any MemoryGrant) { self.memory = memory }
}

extension ResponseSerializer {
    /// Returns whether `truncated=allow` accepts a response whose content is known to end early.
    /// - Parameters:
    ///   - content: the part of the content that was received, with its codings.
    ///   - reader: the reader of images in the trial; `nil` for that of this serializer.
    ///   - permit: see ``remedy(for:_:content:memory:reader:permit:)``.
    public func acceptsTruncated(
        _ response: UpstreamResponse,
        content: Span<UInt8>,
        reader: (any ImageReader)? = nil,
        permit: @escaping (ResponseSerializer, Span<UInt8>) -> RemedyTrial?
    ) throws(ReaderRequired) -> Bool {
        guard options.truncated == .reject else { return false }
        return try RemedySearch(serializer: self, reader: reader ?? self.reader, permit: permit)
            .acceptsTruncated(response, content)
    }

    /// Finds an option, field or setting with which a rejected response is accepted.
    /// - Parameters:
    ///   - failure: the error that this serializer threw for the response.
    ///   - memory: the source of memory for decoding the codings of the content.
    ///   - reader: the reader of images in trials; `nil` for that of this serializer.
    ///   - permit: called before each trial, with the serializer that will decode the content again. It returns `nil`
    ///     if there is no time or no memory for the trial.
    /// - Returns: `nil` if the response is rejected in all trials.
    public func remedy(
        for failure: SerializationFailure,
        _ response: UpstreamResponse,
        content: Span<UInt8>?,
        memory: any MemoryGrant,
        reader: (any ImageReader)? = nil,
        permit: @escaping (ResponseSerializer, Span<UInt8>) -> RemedyTrial?
    ) throws(ReaderRequired) -> Remedy? {
        guard !failure.chain.contains(.outOfMemory) else { return nil }
        return try withDecoded(response, content, memory) { (response, content) throws(ReaderRequired) in
            try RemedySearch(serializer: self, reader: reader ?? self.reader, permit: permit)
                .remedy(for: failure, response, content: content)
        }
    }
}

private struct RemedySearch {
    let serializer: ResponseSerializer
    /// The reader of images; `nil` if this thread must not read them.
    let reader: (any ImageReader)?
    let permit: (ResponseSerializer, Span<UInt8>) -> RemedyTrial?

    private var options: SerializationOptions { serializer.options }
    private var limits: Limits { serializer.limits }

    /// The maximum length of content for which remedies are tried, in bytes, inclusive. Each trial reads the complete
    /// content again.
    static let maxTriedBytes = 1 << 20

    /// The longest content that a trial decodes from its codings, in bytes: there is one such trial at most.
    private static let maxDecodedBytes = 8 << 20

    func remedy(
        for failure: SerializationFailure,
        _ response: UpstreamResponse,
        content: Span<UInt8>?
    ) throws(ReaderRequired) -> Remedy? {
        guard let content, content.count <= Self.maxTriedBytes, let outermost = failure.chain.first,
            !outermost.isLimit
        else { return nil }
        if let coding = ContentCoding(signatureOf: content),
            let remedy = try remedy(withCoding: coding, response, content)
        {
            return remedy
        }
        switch outermost {
        case .content(let error):
            for candidate in error.base.remedies {
                if let remedy = try remedy(candidate, for: failure, response, content) { return remedy }
            }
            return nil
        case .unacceptableMediaType(let got, _, let looksLike, _):
            return try remedy(forType: got, looksLike, response, content)
        case .unacceptableStatus(let status, let acceptable, _):
            let codes = StatusCodes(ranges: acceptable.ranges + [status...status])
            // Other statuses without content are errors that a caller must handle; 304 says that a copy is still valid.
            guard failure.value != nil || status == 304 else { return nil }
            return try propose(.acceptableStatuses(codes.descriptions), response, content) {
                $0.acceptableStatusCodes = codes
            }
        // Only the caller knows whether the content has been decoded, so this is proposed without a trial.
        case .unsupportedContentCoding: return .noContentCoding
        case .coding:
            var response = response
            guard options.truncated == .reject, let codings = response.decodedCodings?.allowingTruncation else {
                return nil
            }
            response.decodedCodings = codings
            return try propose(.truncated, response, content, withPixels: true) { $0.truncated = .allow }
        case .partNotFound:
            return try propose(.emptyPart, response, content, withPixels: true) { $0.parts.missing = .empty }
        case .contentTooLong, .outputTooLong, .outOfMemory: return nil
        }
    }

    // MARK: Candidates

    /// Proposes the field `Content-Encoding` for content that begins with the signature of `coding`: the field was
    /// removed on the way, or lists other codings.
    private func remedy(
        withCoding coding: ContentCoding,
        _ response: UpstreamResponse,
        _ content: Span<UInt8>
    ) throws(ReaderRequired) -> Remedy? {
        var codings = [coding]
        if let decoded = response.decodedCodings, decoded.decodedBytes != nil {
            // The content is what is left after these.
            guard decoded.error == nil else { return nil }
            codings += decoded.codings
        }
        guard codings.count <= limits.maxContentCodings,
            response.fields.contentCodings(max: limits.maxContentCodings) != .known(codings)
        else { return nil }
        var encoded = response
        encoded.decodedCodings = nil
        encoded.fields.set("Content-Encoding", to: coding.rawValue)
        let remedy = Remedy.contentCoding(codings.map(\.rawValue).joined(separator: ", "))
        return try propose(remedy, encoded, content, within: decodingLimits)
    }

    func acceptsTruncated(_ response: UpstreamResponse, _ content: Span<UInt8>) throws(ReaderRequired) -> Bool {
        // It would accept nothing, too.
        guard !content.isEmpty, content.count <= Self.maxTriedBytes else { return false }
        return try propose(.truncated, response, content, within: decodingLimits, withPixels: true) {
            $0.truncated = .allow
        } != nil
    }

    /// The limits of a trial that decodes codings.
    private var decodingLimits: Limits {
        var limits = limits
        limits.maxDecodedBytes = min(limits.maxDecodedBytes, Self.maxDecodedBytes)
        return limits
    }

    private func remedy(
        _ candidate: Remedy.Candidate,
        for failure: SerializationFailure,
        _ response: UpstreamResponse,
        _ content: Span<UInt8>
    ) throws(ReaderRequired) -> Remedy? {
        switch candidate {
        case .lenient: return try neededLeniencies(response, content).map { .lenient($0) }
        case .manyRecords: return try propose(.manyRecords, response, content) { $0.records = .many }
        case .fragments: return try propose(.fragments, response, content) { $0.fragments = true }
        case .lastDuplicate: return try propose(.lastDuplicate, response, content) { $0.duplicates = .last }
        case .replacedSurrogates:
            return try propose(.replacedSurrogates, response, content) { $0.surrogates = .replace }
        case .strippedPrefix: return try propose(.strippedPrefix, response, content) { $0.prefixes = .strip }
        case .functionCall: return try functionCall(response, content)
        case .otherType: return try otherType(response, content)
        case .otherCharset:
            // Valid UTF-8 whose declaration is wrong is repaired instead.
            return (try? UTF8Span(validating: content)) == nil ? try otherCharset(response, content) : nil
        case .otherCharsetOfEscapes: return try otherCharset(response, content)
        case .deeperNesting: return try deeperNesting(response, content)
        case .truncated:
            // The reader has tried it. It does not accept another error of the response.
            guard failure.acceptsTruncated, failure.chain.count == 1 else { return nil }
            guard options.parts.selected.tokens.isEmpty || options.parts.missing == .empty else {
                // The part may be in what is missing.
                return try propose(.truncated, response, content, withPixels: true) { $0.truncated = .allow }
            }
            return .truncated
        case .noThumbnail:
            let needsOnlyThumbnails =
                options.thumbnails?.isEmpty == false && options.decode == .auto && options.placeholders.isEmpty
                && !options.fingerprints.contains(.phash)
            // The facts were read. They do not accept another error of the response.
            return needsOnlyThumbnails && failure.chain.count == 1 ? .noThumbnail : nil
        case .backslashEscapes: return try propose(.backslashEscapes, response, content) { $0.csvEscape = .backslash }
        case .noQuotes:
            // A name with quotes indicates that fields have quotes, and so do different numbers of fields.
            // A name can follow empty lines, and in UTF-16 and UTF-32 it can follow zeros.
            let start = UnicodeEncoding.detect(content).markBytes
            let first = (start..<content.count).first { ![0, 0x0A, 0x0D].contains(content[$0]) }
            guard let first, content[first] != CSVDialect.quote else { return nil }
            return try propose(.noQuotes, response, content) {
                $0.csvQuote = .none
                $0.leniencies.remove(.ragged)
            }
        case .serializer(let kind):
            return try propose(.serializer(kind), response, content) { $0.serializer = .one(kind) }
        }
    }

    private func remedy(
        forType got: String?,
        _ looksLike: String?,
        _ response: UpstreamResponse,
        _ content: Span<UInt8>
    ) throws(ReaderRequired) -> Remedy? {
        if let listed = options.acceptableMediaTypes, let got, !got.isEmpty,
            let wider = try? MediaTypeSet(parsing: (listed.descriptions + [got]).joined(separator: ",")),
            let remedy = try propose(
                .acceptableTypes(wider.descriptions),
                response,
                content,
                { $0.acceptableMediaTypes = wider }
            )
        {
            return remedy
        }
        if looksLike == nil, let got, got == MediaType.proposed(for: content),
            let kind = MediaType(essence: got).serializer,
            let remedy = try propose(.serializer(kind), response, content, { $0.serializer = .one(kind) })
        {
            return remedy
        }
        if let type = looksLike ?? MediaType.proposed(for: content),
            let remedy = try propose(.type(type), response, content, { $0.declaredType = type })
        {
            return remedy
        }
        if let remedy = try functionCall(response, content) { return remedy }
        if let leniencies = try neededLeniencies(response, content) { return .lenient(leniencies) }
        let returnsRaw = options.rules == .decant && options.acceptableMediaTypes == nil
        return returnsRaw ? try propose(.rawContent, response, content) { $0.serializer = .one(.http) } : nil
    }

    // MARK: Trials

    /// Returns `remedy` if the response is accepted with changed options.
    /// - Parameter withPixels: whether pixels are decoded if the caller requested anything that is made from them.
    private func propose(
        _ remedy: Remedy,
        _ response: UpstreamResponse,
        _ content: Span<UInt8>,
        within limits: Limits? = nil,
        withPixels: Bool = false,
        _ change: (inout SerializationOptions) -> Void = { _ in }
    ) throws(ReaderRequired) -> Remedy? {
        try trial(response, content, within: limits, withPixels: withPixels, change) == nil ? nil : remedy
    }

    /// Returns the leniencies of the request and those that the content needs; `nil` if they do not suffice.
    private func neededLeniencies(
        _ response: UpstreamResponse,
        _ content: Span<UInt8>
    ) throws(ReaderRequired) -> Leniencies? {
        guard let used = try trial(response, content, { $0.leniencies = .all }) else { return nil }
        let needed = options.leniencies.union(used)
        guard needed != options.leniencies, try trial(response, content, { $0.leniencies = needed }) != nil else {
            return nil
        }
        return needed
    }

    /// Proposes the type with which a function call around the value is removed.
    private func functionCall(_ response: UpstreamResponse, _ content: Span<UInt8>) throws(ReaderRequired) -> Remedy? {
        let text = content.extracting(droppingFirst: UnicodeEncoding.detect(content).markBytes)
        guard let prefix = JSONPrefix(text, acceptsJSONP: true), prefix.isFunctionCall else { return nil }
        return try propose(.functionCall, response, content) { $0.declaredType = MediaType.functionCall }
    }

    private func otherType(_ response: UpstreamResponse, _ content: Span<UInt8>) throws(ReaderRequired) -> Remedy? {
        guard options.declaredType == nil, let type = MediaType.proposed(for: content) else { return nil }
        return try propose(.type(type), response, content) { $0.declaredType = type }
    }

    private func otherCharset(_ response: UpstreamResponse, _ content: Span<UInt8>) throws(ReaderRequired) -> Remedy? {
        let type = serializer.declaredType(of: response)
        guard type.charset == nil, let essence = type.essence ?? ContentSignature(of: content)?.mediaType else {
            return nil
        }
        let labelled = essence + ";charset=windows-1252"
        return try propose(.charset(labelled), response, content) { $0.declaredType = labelled }
    }

    private func deeperNesting(_ response: UpstreamResponse, _ content: Span<UInt8>) throws(ReaderRequired) -> Remedy? {
        var limits = limits
        let usual = Limits().maxNestingDepth
        if limits.maxNestingDepth < usual {
            limits.maxNestingDepth = usual
            if let remedy = try propose(.defaultNestingDepth(usual), response, content, within: limits) {
                return remedy
            }
        }
        limits.maxNestingDepth = Limits.hardMaxNestingDepth
        return try propose(.nestingDepth(max: Limits.hardMaxNestingDepth), response, content, within: limits)
    }

    /// Serializes the response with changed options.
    /// - Parameter withPixels: whether pixels are decoded if the caller requested anything that is made from them.
    /// - Returns: the leniencies that the content needs, or `nil` if the response is rejected.
    private func trial(
        _ response: UpstreamResponse,
        _ content: Span<UInt8>,
        within limits: Limits? = nil,
        withPixels: Bool = false,
        _ change: (inout SerializationOptions) -> Void
    ) throws(ReaderRequired) -> Leniencies? {
        var options = options
        change(&options)
        guard options != self.options || limits != nil else { return nil }
        options.view = .value
        if !withPixels || !ImageOrder(.value, options, self.limits).asksForPixels {
            options.decode = .header
            options.thumbnails = []
            options.placeholders = []
            options.fingerprints = []
        }
        let other = ResponseSerializer(options: options, limits: limits ?? self.limits)
        guard let trial = permit(other, content) else { return nil }
        do throws(SerializationFailure) {
            return try other.serialize(response, content, reader, trial.memory).message.warnings.leniencies
        } catch {
            if error.isDeferred { throw ReaderRequired() }
            return nil
        }
    }
}
