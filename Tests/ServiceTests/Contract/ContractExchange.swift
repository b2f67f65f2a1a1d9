import Foundation
import Serialization
import Testing

/// One example of the contract: a request and the answer that belongs to it by name.
struct ContractExchange: Sendable, CustomTestStringConvertible {
    var name: String
    var method: String
    /// Path and query.
    var target: String
    var fields: [String: String] = [:]
    var content = Data()

    var status: Int
    var contentType: String
    /// With sorted keys, so that equal values are equal text.
    var answer: String

    var testDescription: String { "\(method) \(target) (\(name))" }
}

extension Contract {
    /// All examples of answers, each with its request.
    var exchanges: [ContractExchange] {
        get throws {
            try operations.flatMap { operation in
                try operation.responses.sorted { $0.key < $1.key }.flatMap { status, response in
                    try resolve(resolve(response)["content"]).flatMap { contentType, content in
                        try resolve(resolve(content)["examples"]).sorted { $0.key < $1.key }.map { name, example in
                            try exchange(name, operation, Int(status) ?? 0, contentType, resolve(example)["value"])
                        }
                    }
                }
            }
        }
    }

    private func exchange(
        _ name: String,
        _ operation: Operation,
        _ status: Int,
        _ contentType: String,
        _ answer: Any?
    ) throws -> ContractExchange {
        var exchange = ContractExchange(
            name: name,
            method: operation.method,
            target: operation.path,
            status: status,
            contentType: contentType,
            answer: try Self.canonical(answer ?? NSNull())
        )
        var query: [String] = []
        for parameter in operation.parameters {
            guard let parameterName = parameter["name"] as? String,
                let value = resolve(resolve(parameter["examples"])[name])["value"].map({
                    "\($0)".replacing(Contract.numberMark, with: "")
                })
            else { continue }
            switch parameter["in"] as? String {
            case "query": query.append("\(parameterName)=\(value)")
            case "header": exchange.fields[parameterName] = value
            default: exchange.target = exchange.target.replacingOccurrences(of: "{\(parameterName)}", with: value)
            }
        }
        if !query.isEmpty { exchange.target += "?" + query.joined(separator: "&") }
        for (requestType, body) in operation.body {
            guard let value = resolve(resolve(resolve(body)["examples"])[name])["value"] else { continue }
            // Text is the content itself; anything else is the content's JSON.
            exchange.content = try (value as? String).map { Data($0.utf8) } ?? Data(Self.canonical(value).utf8)
            if requestType != "*/*" { exchange.fields["Content-Type"] = requestType }
        }
        return exchange
    }

    /// JSON with sorted keys, and numbers as they are written.
    static func canonical(_ value: Any) throws -> String {
        let options: JSONSerialization.WritingOptions = [.withoutEscapingSlashes, .fragmentsAllowed]
        let json = String(decoding: try JSONSerialization.data(withJSONObject: value, options: options), as: UTF8.self)
        return try canonical(
            json: json.replacing(try Regex(#""\\u0001([^"]*)""#, as: (Substring, Substring).self)) { $0.output.1 }
        )
    }

    /// The same of JSON text. The library copies numbers.
    static func canonical(json: String) throws -> String {
        var options = SerializationOptions()
        options.serializer = .one(.json)
        options.view = .value
        options.nulls = .keep
        options.keys = .sorted
        options.duplicates = .reject
        let answer = try ResponseSerializer(options: options).serialize(
            UpstreamResponse(),
            content: Array(json.utf8).span
        )
        return String(decoding: [UInt8](answer.json), as: UTF8.self)
    }
}
