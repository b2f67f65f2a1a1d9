internal import HTTP
internal import Serialization

extension AnswerResponse {
    /// Returns the response with a thumbnail.
    /// - Parameter isNegotiated: whether `Accept` affected the choice of the format.
    static func thumbnail(_ answer: ThumbnailAnswer, isNegotiated: Bool) -> Response {
        let outcome: Answer.Outcome = answer.thumbnail == nil ? .empty : .value
        var fields = fields(outcome, .image, answer.upstream, answer.warnings)
        guard let thumbnail = answer.thumbnail else {
            var response = Response(status: 204, contentType: nil, fields: fields, content: OutputBuffer(capacity: 0))
            response.serializer = .image
            return response
        }
        if let source = answer.source {
            fields.append(HeaderFields.Field(name: "Decant-Width", value: String(source.width)))
            fields.append(HeaderFields.Field(name: "Decant-Height", value: String(source.height)))
        }
        if isNegotiated { fields.append(.varyAccept) }
        var response = Response(
            status: 200,
            contentType: thumbnail.format.contentType,
            fields: fields,
            content: OutputBuffer(thumbnail.content)
        )
        response.serializer = .image
        return response
    }
}
