internal import Fetching
internal import Flights
internal import HTTP
internal import Platform
internal import Serialization

// The types behind the protocols of `Flights`, which the table stores and returns. Everything that the service gives to
// a table is of these types, so that a conversion never fails.

/// What a request wants to be made of a response: the serializer and, for images, what the response is.
final class FetchRendition: RenditionRequest {
    /// Decodes the response.
    let serializer: ResponseSerializer
    /// The properties of the response; `nil` if it is not an image.
    let image: ImageResponseOptions?
    /// The identifier of the request, which does not affect the response.
    let requestID: RequestID

    init(_ serializer: ResponseSerializer, image: ImageResponseOptions? = nil, requestID: RequestID) {
        self.serializer = serializer
        self.image = image
        self.requestID = requestID
    }

    var heapBytes: Int { serializer.options.heapBytes }

    func isEqual(to other: any RenditionRequest) -> Bool {
        let other = other.inService
        guard image?.isNegotiated == other.image?.isNegotiated else { return false }
        return serializer === other.serializer
            || (serializer.options == other.serializer.options && serializer.limits == other.serializer.limits)
    }
}

extension RenditionRequest {
    var inService: FetchRendition {
        guard let rendition = self as? FetchRendition else { preconditionFailure("the service makes all renditions") }
        return rendition
    }
}

extension FlightResponse {
    var inService: RenderedResponse {
        guard let response = self as? RenderedResponse else { preconditionFailure("the service makes all responses") }
        return response
    }
}

extension CallerRequest {
    private var inService: FetchRendition { rendition.inService }

    var serializer: ResponseSerializer { inService.serializer }

    var image: ImageResponseOptions? {
        get { inService.image }
        set {
            rendition = FetchRendition(serializer, image: newValue, requestID: requestID)
            showsStaleRendition = newValue != nil
        }
    }

    var requestID: RequestID {
        get { inService.requestID }
        set { rendition = FetchRendition(serializer, image: image, requestID: newValue) }
    }

    /// Sets the receipt to 128 random bits in hexadecimal digits, which cannot be guessed, unless the caller has chosen
    /// one. It must be called before the request becomes a part of a flight.
    mutating func generateReceipt() {
        guard hasGeneratedReceipt else { return }
        var random = SystemRandomPool()
        // Only its text is that of an identifier of a request: all bits come from the system.
        receipt = RequestID.made(random.next(), random.next()).text
    }

    /// Returns whether a name has the syntax of generated receipts: 32 hexadecimal digits in lower case.
    static func looksGenerated(_ receipt: String) -> Bool {
        receipt.utf8.count == 32
            && receipt.utf8.allSatisfy { $0.isDecimalDigit || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0 }
    }
}

extension ScopedName {
    /// The characters of receipts, slots and partitions: `[A-Za-z0-9_-]{1,128}`.
    static func isValid(_ name: String) -> Bool { NameSyntax.isName(name.utf8.span) }
}

extension FlightJob.Upstream {
    /// What is decoded.
    var response: UpstreamResponse {
        var response = UpstreamResponse(status: status, url: path.url, method: method, fields: HeaderFields(fields))
        response.hasAllFields = true
        if !path.history.isEmpty {
            response.message = MessageFacts(history: path.history.map { PrecedingResponse($0) })
        }
        return response
    }

    var normalizedContent: NormalizedContent {
        guard let memory = memory as? MemoryReservation else { preconditionFailure("the service makes all memory") }
        guard let bytes else { return .none(memory) }
        return .decoded(bytes, memory)
    }

    /// The content; `nil` if there is none.
    var bytes: SharedBytes? {
        guard let content else { return nil }
        guard let bytes = content as? SharedBytes else { preconditionFailure("the service makes all contents") }
        return bytes
    }
}

extension PrecedingResponse {
    init(_ redirect: FollowedRedirect) { self.init(status: redirect.status, fields: HeaderFields(), url: redirect.url) }
}

extension MemoryAccount: FlightAccount {
    func emptyMemory() -> any FlightMemory { emptyReservation() }

    func content(_ buffer: consuming OutputBuffer) -> any FlightContent { SharedBytes(buffer) }
}

extension MemoryReservation: FlightMemory {}

extension SharedBytes: FlightContent {
    func retain(_ charge: CacheCharge) { attach(charge) }
}
