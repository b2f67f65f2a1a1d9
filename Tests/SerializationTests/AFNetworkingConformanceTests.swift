import Foundation
import Images
import Serialization
import SerializationSupport
import TestSupport
import Testing

/// The behaviour of AFNetworking, case by case, in process. `af-cases` sends the same cases to a running service.
@Suite(.needs(AFNetworkingCase.path))
struct AFNetworkingConformanceTests {
    @Test(arguments: (try? AFNetworkingCase.load()) ?? [])
    func `matches the decisions of AFNetworking`(_ one: AFNetworkingCase) throws {
        let response = UpstreamResponse(
            status: one.upstream.status,
            url: one.upstream.url,
            method: one.options["request_method"] as? String,
            fields: HeaderFields(one.upstream.headers.map { .init(name: $0.key, value: $0.value) })
        )
        let result = serialize(
            response,
            content: one.upstream.content,
            options: try one.serializationOptions(),
            reader: ImageContentReader()
        )

        // An image that cannot be decoded is an error here, but AFNetworking ignores it.
        if one.serializer == "image", one.expect.outcome == "empty", one.upstream.content?.isEmpty == false {
            #expect(result.chain.first?.contentError is ImageError)
            return
        }
        #expect(outcome(result) == one.expect.outcome)
        #expect(result.chain.count == one.expect.errorChain.count)
        for (error, link) in zip(result.chain, one.expect.errorChain) {
            #expect(error.domain == link.domain)
            #expect(error.domainCode == link.code)
            if let part = link.descriptionContains, !part.isEmpty { #expect(error.message.contains(part)) }
        }
        if one.expect.outcome.hasPrefix("value") {
            if let expected = one.value as? [String: Any], expected["kind"] as? String == "image" {
                #expect(try imageSize(result) == imageSize(expected))
            } else {
                #expect(try value(result) == expectedValue(one))
            }
        }
    }

    @Test func `there are as many cases as the file has for http, json, plist and image`() throws {
        #expect(try AFNetworkingCase.load().count > 250)
    }

    private func outcome(_ result: Serialized) -> String {
        if let json = result.json { return json.isEmpty ? "empty" : "value" }
        return result.value == nil ? "error" : "value+error"
    }

    private func value(_ result: Serialized) throws -> String {
        let text = result.json ?? result.value ?? ""
        return try normalized(JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed))
    }

    /// Returns the width and height in pixels, then in points, rounded as in the cases.
    private func imageSize(_ result: Serialized) throws -> [Double] {
        let text = result.json ?? result.value ?? ""
        let value = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        let size = value?["size"] as? [String: Double]
        let sides = [value?["width"] as? Double, value?["height"] as? Double, size?["width"], size?["height"]]
        return sides.map { (($0 ?? 0) * 10_000).rounded() / 10_000 }
    }

    private func imageSize(_ expected: [String: Any]) -> [Double] {
        let pixels = ["pixel_width", "pixel_height"].map { expected[$0] as? Double ?? 0 }
        let points = ["point_width", "point_height"].compactMap { expected[$0] as? Double }
        return pixels + (points.isEmpty ? pixels : points)
    }

    private func expectedValue(_ one: AFNetworkingCase) throws -> String {
        if let data = one.value as? [String: Any], data["kind"] as? String == "data" {
            return Data(one.upstream.content ?? []).base64EncodedString()
        }
        return try normalized(one.value ?? NSNull())
    }

    /// Returns the same text for equal values, so that `-2e3` equals `-2000`; for raw content, its Base64.
    private func normalized(_ value: Any) throws -> String {
        if let raw = value as? [String: Any], let base64 = raw["base64"] as? String { return base64 }
        let data = try JSONSerialization.data(withJSONObject: value, options: [.sortedKeys, .fragmentsAllowed])
        return String(decoding: data, as: UTF8.self)
    }
}

extension SerializationError {
    fileprivate var domain: String {
        isCocoa ? "NSCocoaErrorDomain" : "com.alamofire.error.serialization.response"
    }

    fileprivate var domainCode: Int? {
        switch self {
        case .unacceptableStatus: -1011
        case .unacceptableMediaType: -1016
        default: isCocoa ? 3840 : (contentError as? XMLError)?.number
        }
    }

    private var isCocoa: Bool { contentError is JSONError || contentError is PropertyListError }

    fileprivate var message: String {
        switch self {
        case .unacceptableStatus(let status, acceptable: _, url: _):
            "Request failed: \(ReasonPhrase.of(status)) (\(status))"
        case .unacceptableMediaType(let got, acceptable: _, looksLike: _, url: _):
            "Request failed: unacceptable content-type: \(got ?? "(null)")"
        default: ""
        }
    }
}
