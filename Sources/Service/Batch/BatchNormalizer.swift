internal import Batch
internal import HTTP
internal import Serialization
internal import Synchronization

/// The normalization of items, with the steps, the options and the limits of `POST /v1/normalize`.
///
/// Unlike a request, an item waits for memory instead of being rejected: each thread may use ``maxThreadBytes``, and an
/// item that needs more is processed again while no other item does, with as much memory as all requests of the service
/// may use together. It is rejected only if that does not suffice. Therefore the result depends neither on the number
/// of threads nor on other items.
struct BatchNormalizer: Sendable {
    /// The memory for items that need more than the memory of a thread.
    final class SharedMemory: Sendable {
        fileprivate let account: Mutex<MemoryAccount>
        fileprivate let threadBytes: Int

        /// - Parameter maxBytes: the memory that one item may use, in bytes, inclusive.
        init(maxBytes: Int) {
            threadBytes = min(maxBytes, BatchNormalizer.maxThreadBytes)
            account = Mutex(MemoryAccount(maxBytes: maxBytes))
        }
    }

    /// The memory that each thread may use for an item, in bytes, inclusive.
    private static let maxThreadBytes = 32 << 20

    private let serializer: ResponseSerializer
    private let envelopeLimits: Limits
    private let reader: any ImageReader
    private let memory: MemoryAccount
    private let sharedMemory: SharedMemory

    /// - Parameters:
    ///   - serviceLimits: the limits of the service, without those of the options.
    ///   - reader: the reader of images, for which the thread waits.
    ///   - sharedMemory: that of all threads.
    init(
        _ serializer: ResponseSerializer,
        serviceLimits: Limits,
        _ reader: any ImageReader,
        _ sharedMemory: SharedMemory
    ) {
        self.serializer = serializer
        envelopeLimits = Envelope.limits(of: serviceLimits, for: serializer)
        self.reader = reader
        self.sharedMemory = sharedMemory
        memory = MemoryAccount(maxBytes: sharedMemory.threadBytes)
    }

    /// Returns the result of an item.
    /// - Parameters:
    ///   - bytes: those of its block.
    ///   - requestID: the identifier from which the URN of a problem is made.
    func result(of item: BatchItem, in bytes: Span<UInt8>, _ requestID: RequestID) -> BatchResult {
        let content = bytes.extracting(item.range)
        switch item.form {
        case .envelope: return result(ofEnvelope: content, at: item.range.lowerBound, requestID)
        case .entry: return result(ofEntry: content, at: item.byte, requestID)
        case .message(let record): return result(of: record, content, requestID)
        case .frame(let frame): return result(of: frame, content.count, in: bytes, requestID)
        case .rejected(let error, let id): return BatchResult(Problem(error), requestID, id: id.flatMap { .init($0) })
        }
    }

    // MARK: Forms

    private func result(ofEnvelope line: Span<UInt8>, at start: Int, _ requestID: RequestID) -> BatchResult {
        var id: Range<Int>?
        let response = withMemory(line.count + Envelope.readingBytes(of: line.count), requestID) { memory in
            do throws(EnvelopeError) {
                let envelope = try EnvelopeReader.read(line, limits: envelopeLimits, memory: memory, acceptsID: true)
                id = envelope.id
                return respond(to: envelope.response, envelope.content, in: line, requestID, memory)
            } catch {
                guard !error.isMalformed else { return Problem(error).response(requestID: requestID.text) }
                id = Envelope.id(in: line)
                return Self.rejection(Problem(error), ofURL: Envelope.url(in: line), requestID)
            }
        }
        // A line that needs too much memory has not been read.
        if id == nil, response.problem == .contentTooLarge {
            id = Envelope.id(in: line).flatMap { line.isJSON($0) ? $0 : nil }
        }
        return BatchResult(response, id: id.map { .json($0.lowerBound + start..<$0.upperBound + start) })
    }

    private func result(ofEntry text: Span<UInt8>, at byte: Int, _ requestID: RequestID) -> BatchResult {
        let response = withMemory(text.count + Envelope.readingBytes(of: text.count), requestID) { memory in
            do throws(BatchItemError) {
                let surrogates = serializer.options.surrogates
                let entry = try HAREntry(parsing: text, at: byte, surrogates: surrogates, memory: memory)
                return respond(to: entry.response, entry.content, in: text, requestID, memory)
            } catch { return Self.rejection(Problem(error), ofURL: HAREntry.url(in: text), requestID) }
        }
        return BatchResult(response)
    }

    private func result(of record: WARCRecord, _ message: Span<UInt8>, _ requestID: RequestID) -> BatchResult {
        // The chunks of a message are joined.
        let response = withMemory(2 * message.count, requestID) { memory in
            do throws(MessageError) {
                let read = try Message(record, message, for: serializer)
                return respond(to: read.response, read.content, in: message, requestID, memory)
            } catch { return Self.rejection(Problem(error), ofURL: record.targetURI, requestID) }
        }
        return BatchResult(response, id: record.id.map { .init(text: $0) })
    }

    /// - Parameters:
    ///   - itemBytes: the length of the item, in bytes.
    ///   - block: what contains its parts.
    private func result(
        of frame: BatchFrame,
        _ itemBytes: Int,
        in block: Span<UInt8>,
        _ requestID: RequestID
    ) -> BatchResult {
        let response = withMemory(itemBytes, requestID) { memory in
            do throws(BatchItemError) {
                let response = try UpstreamResponse(frame, in: block)
                let content = frame.hasContent ? block.extracting(frame.content) : nil
                return respond(to: response, content, requestID, memory)
            } catch { return Problem(error).response(requestID: requestID.text) }
        }
        return BatchResult(response)
    }

    /// Responds to an item that cannot be read, so that there are no facts about its response.
    /// - Parameter url: the URL of the response; `nil` if it is not known.
    private static func rejection(_ problem: Problem, ofURL url: String?, _ requestID: RequestID) -> Response {
        var problem = problem
        problem.first.failingURL = url
        return problem.response(requestID: requestID.text)
    }

    /// - Parameters:
    ///   - item: what contains the content.
    ///   - memory: that of reading the item, of which that of its content remains.
    private func respond(
        to response: UpstreamResponse,
        _ content: ContainedBytes?,
        in item: Span<UInt8>,
        _ requestID: RequestID,
        _ memory: MemoryReservation
    ) -> Response {
        memory.resize(to: item.count + (content?.decodedBytes ?? 0))
        guard let content else { return respond(to: response, nil, requestID, memory) }
        return content.withBytes(in: item) { respond(to: response, $0, requestID, memory) }
    }

    private var limits: Limits { serializer.limits }

    private func respond(
        to response: UpstreamResponse,
        _ content: Span<UInt8>?,
        _ requestID: RequestID,
        _ memory: MemoryReservation
    ) -> Response {
        // The readers of archives and frames limit items, and not their contents.
        if let content, content.count > limits.maxContentBytes {
            return Problem(contentOver: limits.maxContentBytes).response(requestID: requestID.text)
        }
        return Normalization(of: response, with: serializer, requestID: requestID).respond(
            content,
            reader,
            .item(memory)
        )
    }

    // MARK: Memory

    private enum Attempt: ~Copyable {
        case response(Response)
        case denied(RejectionReason)
    }

    /// Calls `body` with the memory of the thread and, if that does not suffice, once more with the shared memory.
    /// - Parameter bytes: the memory that is reserved first: the length of the item, and its copies while it is read.
    private func withMemory(
        _ bytes: Int,
        _ requestID: RequestID,
        _ body: (MemoryReservation) -> Response
    ) -> Response {
        if case .response(let response) = Self.attempt(memory, bytes, body) { return response }
        return sharedMemory.account.withLock { account in
            switch Self.attempt(account, bytes, body) {
            case .response(let response): response
            case .denied(let reason): Problem(reason).response(requestID: requestID.text)
            }
        }
    }

    private static func attempt(
        _ account: MemoryAccount,
        _ bytes: Int,
        _ body: (MemoryReservation) -> Response
    ) -> Attempt {
        do throws(RejectionReason) {
            let memory = try account.reserve(bytes, besides: 0)
            let response = body(memory)
            try memory.checkGrants()
            return .response(response)
        } catch { return .denied(error) }
    }
}

/// The response to one item.
struct BatchResult: ~Copyable {
    /// The identifier that the item has in its input.
    enum ID {
        /// A string or a number: the range of its JSON text in the block.
        case json(Range<Int>)
        /// Text, as JSON.
        case text([UInt8])
    }

    private let response: Response
    let id: ID?

    init(_ response: consuming Response, id: ID? = nil) {
        self.response = response
        self.id = id
    }

    init(_ problem: Problem, _ requestID: RequestID, id: ID? = nil) {
        self.init(problem.response(requestID: requestID.text), id: id)
    }

    var isFailed: Bool { response.isProblem }

    var code: ProblemCode? { response.problem }

    /// The length of what ``appendJSON(to:)`` appends, in bytes.
    var jsonBytes: Int { response.content.count == 0 ? 4 : response.content.count }

    /// The content. A value that is not there is null.
    var json: [UInt8] {
        var output = OutputBuffer(capacity: jsonBytes)
        appendJSON(to: &output)
        return [UInt8](output)
    }

    /// Appends the content.
    func appendJSON(to output: inout OutputBuffer) {
        guard response.content.count > 0 else { return output.append("null") }
        switch response.content {
        case .buffer(let buffer): buffer.withBytes { output.append($0) }
        case .shared(let content): content.forEachPart { output.append($0) }
        }
    }
}

extension Span<UInt8> {
    /// Whether the bytes in `range` are a JSON value.
    fileprivate func isJSON(_ range: Range<Int>) -> Bool {
        let value = extracting(range)
        return (try? JSONDocumentReader(value, limits: Limits(), errors: .first, memory: .unlimited)) != nil
    }
}
