/// Why an image was refused.
public struct ImageError: Error, Equatable, Sendable {
    public enum Reason: Equatable, Sendable {
        /// The content begins like no image.
        case notAnImage
        /// The content ends early.
        case truncated
        /// The content breaks its format, in the segment or chunk `part`.
        case corrupt(part: String?)
        /// Pixels were asked for, and the decoder lacks what they need; `feature` is a short noun phrase.
        case unsupportedPixels(feature: String)
        /// Pixels were asked for, and decoding would take more than is allowed; `amount` says of what.
        case tooLargeToDecode(amount: String, max: Int)
        /// Pixels were asked for, and took longer than they may.
        case decodeTime(seconds: Int)
        /// The process that decoded ended.
        case decoderCrashed
        /// Pixels were asked for, and nothing here decodes any.
        case pixelsUnavailable
        /// Everything that decodes is busy.
        case saturated
        /// This thread may not wait for pixels. Only seen by a caller that asked for it.
        case deferred
    }

    public var reason: Reason

    /// Where, in bytes from the content's start. Nil where there is no such place.
    public var byte: Int?

    public init(_ reason: Reason, at byte: Int? = nil) {
        self.reason = reason
        self.byte = byte
    }
}

extension ImageError.Reason {
    /// What is wrong, as a person reads it, without the place.
    public var sentence: String {
        switch self {
        case .notAnImage: "the content begins like no image"
        case .truncated: "the image ends early"
        case .corrupt(let part?): "the image is corrupt in its \(part)"
        case .corrupt(nil): "the image is corrupt"
        case .unsupportedPixels(let feature): "\(feature) is not decoded here"
        case .tooLargeToDecode(let amount, let max): "decoding takes more than the \(max) \(amount) that are allowed"
        case .decodeTime(let seconds): "decoding takes longer than the \(seconds) seconds that are allowed"
        case .decoderCrashed: "the decoder ended unexpectedly"
        case .pixelsUnavailable: "pixels are decoded in a sandbox only, and there is none"
        case .saturated: "all decoders are busy"
        case .deferred: "pixels are decoded elsewhere"
        }
    }

    /// The code of the warning that says so of the default thumbnail.
    var warningCode: String {
        switch self {
        case .notAnImage, .corrupt: "image.corrupt"
        case .truncated: "image.truncated"
        case .unsupportedPixels: "image.unsupported_pixels"
        case .tooLargeToDecode, .decodeTime: "image.too_large_to_decode"
        case .decoderCrashed, .pixelsUnavailable, .saturated, .deferred: "image.pixels_unavailable"
        }
    }
}
