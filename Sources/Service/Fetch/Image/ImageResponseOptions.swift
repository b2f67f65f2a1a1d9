internal import HTTP
internal import Serialization

/// The properties of the response to a request for an image, which does not affect its flight.
struct ImageResponseOptions: Sendable {
    /// Whether `Accept` affected the format.
    var isNegotiated: Bool
    /// The image that takes the place of a problem; `nil` if the problem is sent.
    var fallback: ImageFallback?

    /// Returns the response, or the fallback if it is a problem.
    /// - Parameters:
    ///   - status: the status of the origin's response; `nil` if there is none.
    ///   - account: the memory of requests. If there is none for the fallback, the problem is sent.
    func finish(_ response: consuming Response, upstreamStatus status: Int?, _ account: MemoryAccount) -> Response {
        guard let code = response.problem, let fallback else { return response }
        // With any other status, the problem is not that of the origin's response.
        let rejected = response.status == 422 ? status : nil
        guard fallback.conditions.contain(upstreamStatus: rejected) else { return response }
        let kept = response.fields.filter { ["Cache-Status", "\(ServerTiming.name)", "Retry-After"].contains($0.name) }
        guard
            var image = fallback.response(
                status: fallback.status ?? response.status,
                code: code.rawValue,
                [.maxAge(seconds: Self.fallbackSeconds)] + kept + (isNegotiated ? [.varyAccept] : []),
                account
            )
        else { return response }
        image.problem = code
        image.hasTiming = response.hasTiming
        return image
    }

    /// The time for which a fallback is fresh, so that a page shows the image soon after the origin has it again.
    private static let fallbackSeconds = 10

    /// Returns the response 202, whose content is an image if there is one: the stored image that is being validated,
    /// or the fallback.
    func postponed(
        _ receipt: String,
        location: String,
        isPreference: Bool,
        stale: RenderedResponse?,
        _ account: MemoryAccount
    ) -> Response {
        let response = FetchResponse.postponed(receipt, location: location, isPreference: isPreference)
        let fields = response.fields + (isNegotiated ? [.varyAccept] : [])
        if let stale {
            var image = Response(
                status: response.status,
                contentType: stale.contentType,
                fields: fields,
                content: .shared(stale.content)
            )
            image.charge = stale.charge
            return image
        }
        guard let image = fallback?.response(status: response.status, code: Self.pending, fields, account) else {
            return response
        }
        return image
    }

    /// The value of `Decant-Fallback` in place of a code, if there is no result yet.
    private static let pending = "pending"
}

/// A plain image that takes the place of an image.
struct ImageFallback: Sendable {
    let conditions: FallbackConditions
    /// The status of its response; `nil` for that of the problem.
    let status: Int?
    private let image: PlainImage
    private let format: ThumbnailFormat

    /// The name of the field with the reason why a response is a fallback.
    static let field = "Decant-Fallback"

    /// Content up to this size is not charged, in bytes: it is not longer than a problem.
    private static let maxUnchargedBytes = 4 << 10

    /// - Parameter thumbnail: the size and the format. If the image decides about the format, it is PNG, which shows
    ///   each colour exactly.
    init(_ fallback: ImageQuery.Fallback, in thumbnail: NegotiatedThumbnail) {
        let request = thumbnail.request
        var color = fallback.color
        format = request.format ?? .png
        if format == .jpeg, color.alpha == 0, let background = request.background { color = background }
        image = PlainImage(
            width: min(request.width, PlainImage.maxSide),
            height: min(request.height, PlainImage.maxSide),
            color: color
        )
        conditions = fallback.conditions
        status = fallback.status
    }

    /// - Returns: `nil` if there is no memory for it.
    fileprivate func response(
        status: Int,
        code: String,
        _ fields: [HeaderFields.Field],
        _ account: MemoryAccount
    ) -> Response? {
        let content = image.encoded(as: format)
        var response = Response(
            status: status,
            contentType: format.contentType,
            fields: fields + [HeaderFields.Field(name: Self.field, value: code)],
            content: OutputBuffer(content)
        )
        guard content.count > Self.maxUnchargedBytes else { return response }
        do throws(RejectionReason) {
            response.charge = .reserved(try account.reserve(content.count, besides: 0))
            return response
        } catch { return nil }
    }
}
