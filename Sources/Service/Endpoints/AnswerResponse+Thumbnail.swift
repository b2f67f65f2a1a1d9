internal import Platform
internal import Serialization
internal import Workers

extension AnswerResponse {
    /// A thumbnail, or its refusal, on a lane, of which only the last waits for pixels.
    /// - Parameters:
    ///   - isNegotiated: whether `Accept` had a part in the choice of the format.
    ///   - amend: what an endpoint adds to a problem.
    static func thumbnail(
        of response: UpstreamResponse,
        content: Span<UInt8>?,
        with serializer: ResponseSerializer,
        requestID: RequestID,
        isNegotiated: Bool,
        on lane: Lane,
        amend: (inout Problem) -> Void
    ) -> Attempt {
        let start = MonotonicTime.now
        do {
            let answer: ThumbnailAnswer
            switch lane {
            case .inline, .compute:
                guard let done = try serializer.thumbnailAtOnce(of: response, content: content) else {
                    return .handOn(to: .isolated)
                }
                answer = done
            case .isolated(let renderer):
                answer = try serializer.thumbnail(of: response, content: content, renderer: renderer)
            case .refused(let reason):
                let renderer = RefusingRenderer(reason)
                answer = try serializer.thumbnail(of: response, content: content, renderer: renderer)
            }
            var response = success(answer, isNegotiated: isNegotiated)
            response.decodingNanoseconds = MonotonicTime.now.nanoseconds(since: start)
            return .answered(response)
        } catch {
            return .answered(failure(error, requestID: requestID, since: start, amend))
        }
    }

    private static func success(_ answer: ThumbnailAnswer, isNegotiated: Bool) -> Response {
        let outcome: Answer.Outcome = answer.thumbnail == nil ? .empty : .value
        var fields = fields(outcome, .image, answer.upstream, answer.warnings)
        guard let thumbnail = answer.thumbnail else {
            return Response(status: 204, contentType: nil, fields: fields, content: OutputBuffer(capacity: 0))
        }
        if let (width, height) = answer.source {
            fields.append(HeaderFields.Field(name: "Decant-Width", value: String(width)))
            fields.append(HeaderFields.Field(name: "Decant-Height", value: String(height)))
        }
        if isNegotiated { fields.append(.varyAccept) }
        return Response(
            status: 200,
            contentType: thumbnail.format.contentType,
            fields: fields,
            content: OutputBuffer(thumbnail.content)
        )
    }
}

extension ThumbnailFormat {
    fileprivate var contentType: StaticString {
        switch self {
        case .jpeg: "image/jpeg"
        case .png: "image/png"
        case .webp: "image/webp"
        }
    }
}
