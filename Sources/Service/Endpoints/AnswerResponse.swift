internal import Platform
internal import Serialization
internal import Workers

/// From the serializer's answer, or its refusal, to HTTP.
enum AnswerResponse {
    /// - Parameter amend: what an endpoint adds to a problem.
    static func serialize(
        _ response: UpstreamResponse,
        content: Span<UInt8>?,
        with serializer: ResponseSerializer,
        requestID: RequestID,
        amend: (inout Problem) -> Void = { _ in }
    ) -> Response {
        let start = MonotonicTime.now
        do {
            let answer = try serializer.serialize(response, content: content)
            return success(answer, view: serializer.options.view, since: start)
        } catch {
            return failure(error, requestID: requestID, since: start, amend)
        }
    }

    /// The same on a lane, of which only the last waits for pixels.
    static func serialize(
        _ response: UpstreamResponse,
        content: Span<UInt8>?,
        with serializer: ResponseSerializer,
        requestID: RequestID,
        on lane: Lane,
        amend: (inout Problem) -> Void = { _ in }
    ) -> Attempt {
        let start = MonotonicTime.now
        do {
            let answer: Answer
            switch lane {
            case .inline, .compute:
                guard let done = try serializer.serializeAtOnce(response, content: content) else {
                    return .handOn(to: .isolated)
                }
                answer = done
            case .isolated(let renderer):
                answer = try serializer.serialize(response, content: content, renderer: renderer)
            case .refused(let reason):
                answer = try serializer.serialize(response, content: content, renderer: RefusingRenderer(reason))
            }
            return .answered(success(answer, view: serializer.options.view, since: start))
        } catch {
            return .answered(failure(error, requestID: requestID, since: start, amend))
        }
    }

    static func failure(
        _ error: SerializationFailure,
        requestID: RequestID,
        since start: MonotonicTime,
        _ amend: (inout Problem) -> Void
    ) -> Response {
        var problem = Problem(error)
        amend(&problem)
        var response = problem.response(requestID: requestID.text)
        response.decodingNanoseconds = MonotonicTime.now.nanoseconds(since: start)
        return response
    }

    private static func success(_ answer: consuming Answer, view: AnswerView, since start: MonotonicTime) -> Response {
        var response = success(answer, view: view)
        response.decodingNanoseconds = MonotonicTime.now.nanoseconds(since: start)
        return response
    }

    private static func success(_ answer: consuming Answer, view: AnswerView) -> Response {
        switch view {
        case .full:
            return Response(status: 200, contentType: "application/json", content: answer.takeJSON())
        case .value:
            let fields = fields(answer.outcome, answer.serializer, answer.upstream, answer.warnings)
            return switch answer.outcome {
            case .value:
                Response(status: 200, contentType: "application/json", fields: fields, content: answer.takeJSON())
            case .empty:
                Response(status: 204, contentType: nil, fields: fields, content: OutputBuffer(capacity: 0))
            }
        }
    }

    /// What is said beside a value that stands alone.
    static func fields(
        _ outcome: Answer.Outcome,
        _ serializer: SerializerKind,
        _ upstream: UpstreamFacts,
        _ warnings: [Warning]
    ) -> [HeaderFields.Field] {
        var fields = [
            HeaderFields.Field(name: "Decant-Outcome", value: outcome.rawValue),
            HeaderFields.Field(name: "Decant-Serializer", value: serializer.rawValue),
            HeaderFields.Field(name: "Decant-Upstream-Status", value: String(upstream.status)),
        ]
        if let codes = warningCodes(warnings) {
            fields.append(HeaderFields.Field(name: "Decant-Warnings", value: codes))
        }
        return fields
    }

    /// Longest `Decant-Warnings`, in bytes.
    private static let maxWarningBytes = 1 << 10

    /// The codes, each once, as far as they fit.
    private static func warningCodes(_ warnings: [Warning]) -> String? {
        var seen: Set<String> = []
        var list = ""
        for warning in warnings where seen.insert(warning.code).inserted {
            let next = list.isEmpty ? warning.code : ", " + warning.code
            guard list.utf8.count + next.utf8.count <= maxWarningBytes else { break }
            list += next
        }
        return list.isEmpty ? nil : list
    }
}
