package import Serialization

/// The result of a response: the JSON of an answer, or a failure with all its errors.
package struct Serialized: Equatable {
    package var json: String?
    package var chain: [SerializationError] = []
    /// The value in addition to the errors.
    package var value: String?
    package var attempts: [Attempt] = []
    package var warnings: [Warning] = []
    package var mismatch: TypeMismatch?
    package var upstream: UpstreamFacts

    package struct Attempt: Equatable {
        package var serializer: SerializerKind?
        package var chain: [SerializationError]

        package init(serializer: SerializerKind?, chain: [SerializationError]) {
            self.serializer = serializer
            self.chain = chain
        }
    }
}

package func serialize(
    _ response: UpstreamResponse,
    content: [UInt8]?,
    options: SerializationOptions = SerializationOptions(),
    limits: Limits = Limits(),
    reader: (any ImageReader)? = nil
) -> Serialized {
    let serializer = ResponseSerializer(options: options, limits: limits, reader: reader)
    do throws(SerializationFailure) {
        let answer = try serializer.serialize(response, content: content?.span)
        return Serialized(
            json: String(decoding: [UInt8](answer.json), as: UTF8.self),
            warnings: answer.warnings,
            upstream: answer.upstream
        )
    } catch {
        return Serialized(
            chain: error.chain,
            value: error.value.map { String(decoding: $0, as: UTF8.self) },
            attempts: error.attempts.map { Serialized.Attempt(serializer: $0.serializer, chain: $0.chain) },
            warnings: error.warnings,
            mismatch: error.mismatch,
            upstream: error.upstream
        )
    }
}

/// Serializes a response with at most one `Content-Type` field and text as content.
package func serialize(
    status: Int = 200,
    type: String?,
    method: String? = nil,
    _ content: String?,
    limits: Limits = Limits(),
    _ configure: (inout SerializationOptions) -> Void = { _ in }
) -> Serialized {
    var options = SerializationOptions()
    configure(&options)
    var response = UpstreamResponse(status: status, method: method)
    if let type { response.fields.append(name: "Content-Type", value: type) }
    return serialize(response, content: content.map { Array($0.utf8) }, options: options, limits: limits)
}

extension SerializationError {
    package static func status(_ status: Int) -> SerializationError {
        .unacceptableStatus(status, acceptable: .successful, url: nil)
    }
}
