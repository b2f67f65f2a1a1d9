/// The reason why an image was rejected.
public struct ImageError: Error, Equatable, Sendable {
    public enum Reason: Equatable, Sendable {
        /// The content does not begin like an image.
        case notAnImage
        /// The content ends early.
        case truncated
        /// The content violates its format, in the segment or chunk `part`.
        case corrupt(part: String?)
        /// Pixels were requested, but the decoder does not support a feature of the image; `feature` is a short noun
        /// phrase.
        case unsupportedPixels(feature: String)
        /// Pixels were requested, but decoding would exceed a limit; `amount` names the limited quantity.
        case tooLargeToDecode(amount: String, max: Int)
        /// Reading exceeded the time limit.
        case decodeTime(seconds: Int)
        /// The process that read the image ended.
        case decoderCrashed
        /// There is no sandbox to read images in.
        case pixelsUnavailable
        /// There is no worker to read images.
        case noDecoder
        /// All decoders are busy.
        case saturated
        /// This thread must not read images, or this worker must not decode pixels. Another one does.
        case deferred
    }

    public var reason: Reason

    /// The offset in bytes from the start of the content. `nil` if the error has no location.
    public var byte: Int?

    public init(_ reason: Reason, at byte: Int? = nil) {
        self.reason = reason
        self.byte = byte
    }
}

extension ImageError.Reason {
    /// The error as a sentence for people, without the location.
    public var sentence: String {
        switch self {
        case .notAnImage: "the content is not an image of a known format"
        case .truncated: "the image ends early"
        case .corrupt(let part?): "the image is corrupt in its \(part)"
        case .corrupt(nil): "the image is corrupt"
        case .unsupportedPixels(let feature): "the decoder does not support \(feature)"
        case .tooLargeToDecode(let amount, let max): "decoding exceeds the limit of \(max) \(amount)"
        case .decodeTime(let seconds): "decoding exceeds the time limit of \(seconds) seconds"
        case .decoderCrashed: "the decoder ended unexpectedly"
        case .pixelsUnavailable: "images are read only in a sandbox, and none is available"
        case .noDecoder: "images are read by workers, and there is none"
        case .saturated: "all decoders are busy"
        case .deferred: "the image is read elsewhere"
        }
    }

    /// Whether the image may not have been read at all.
    var mayPrecedeReading: Bool {
        switch self {
        case .notAnImage, .truncated, .corrupt, .unsupportedPixels: false
        case .tooLargeToDecode, .decodeTime, .decoderCrashed, .pixelsUnavailable, .noDecoder, .saturated, .deferred:
            true
        }
    }

    /// The code of the warning if only the default thumbnail is affected.
    var warningCode: String {
        switch self {
        case .notAnImage, .corrupt: "image.corrupt"
        case .truncated: "image.truncated"
        case .unsupportedPixels: "image.unsupported_pixels"
        case .tooLargeToDecode, .decodeTime: "image.too_large_to_decode"
        case .decoderCrashed, .pixelsUnavailable, .noDecoder, .saturated, .deferred: "image.pixels_unavailable"
        }
    }
}
