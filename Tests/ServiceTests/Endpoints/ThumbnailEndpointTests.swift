import Foundation
import Logging
import Testing

@testable import HTTP
@testable import Images
@testable import Serialization
@testable import Service
@testable import Workers

/// Tests `POST /v1/thumbnail` over a socket, with the workers of the service.
@Suite struct ThumbnailEndpointTests {
    private func post(
        _ query: String = "",
        _ fields: [(String, String)] = [("Content-Type", "image/png")],
        _ content: [UInt8] = SmallImage.transparent.content,
        at service: Result<HTTPServer, any Error> = ThumbnailService.withWorkers
    ) throws -> ReceivedResponse {
        let service = try service.get()
        var request = "POST /v1/thumbnail\(query) HTTP/1.1\r\nHost: decant.test\r\nContent-Length: \(content.count)\r\n"
        for (name, value) in fields { request += "\(name): \(value)\r\n" }
        let client = try RawClient(port: service.address.port)
        client.send(Array((request + "\r\n").utf8) + content)
        return try client.readResponse()
    }

    private static let jpeg = [("Content-Type", "image/jpeg")]

    private struct Problem: Decodable {
        struct Link: Decodable {
            var code: String
            var expected: [String]?
        }
        var code: String
        var detail: String
        var hint: String?
        var chain: [Link]
    }

    private func problem(_ response: ReceivedResponse) throws -> Problem {
        #expect(response.fields["content-type"] == "application/problem+json")
        return try JSONDecoder().decode(Problem.self, from: Data(response.content))
    }

    // MARK: The thumbnail

    @Test func `an image becomes a smaller image, with the displayed size of the source`() throws {
        let response = try post("?thumbnail=8x8,format=png", Self.jpeg, SmallImage.lyingOnItsSide.content)
        #expect(response.status == 200)
        #expect(response.fields["content-type"] == "image/png")
        let facts = try ImageHeader.read(response.content.span)
        // The stored size is 32 × 16. The orientation rotates it.
        #expect([facts.format.rawValue, "\(facts.width ?? 0)", "\(facts.height ?? 0)"] == ["png", "4", "8"])
        #expect(response.fields["decant-width"] == "16")
        #expect(response.fields["decant-height"] == "32")
        #expect(response.fields["decant-outcome"] == "value")
        #expect(response.fields["decant-serializer"] == "image")
        #expect(response.fields["decant-upstream-status"] == "200")
        #expect(response.fields["decant-warnings"] == nil)
        #expect(response.fields["vary"] == nil)
        #expect(response.fields["x-request-id"]?.count == 32)
        let timing = try #require(response.fields["server-timing"])
        #expect(timing.wholeMatch(of: /queue;dur=[0-9]+\.[0-9]{3}, decode;dur=[0-9]+\.[0-9]{3}/) != nil)
    }

    @Test func `the pixels are rotated, too`() throws {
        let response = try post("?thumbnail=16x32,format=png", Self.jpeg, SmallImage.lyingOnItsSide.content)
        var source = try PNGPixels(response.content.span)
        let format = try source.begin(response.content.span, reduction: 1, maxMemoryBytes: 1 << 20)
        var pixels = [UInt8](repeating: 0, count: format.height * format.rowBytes)
        var rows = pixels.mutableSpan
        #expect(try source.readRows(response.content.span, into: &rows) == 32)
        // The left side of the stored image is displayed at the top: red at the top, and blue at the bottom.
        #expect(pixels[0] > 150 && pixels[2] < 80)
        #expect(pixels.suffix(4)[pixels.count - 4] < 80 && pixels.suffix(4)[pixels.count - 2] > 150)
    }

    @Test func `without options it is 256 pixels wide or high, and never larger than the source`() throws {
        let response = try post()
        let facts = try ImageHeader.read(response.content.span)
        #expect([facts.width, facts.height] == [8, 4])
        let limited = try post("?max-thumbnail-side=2")
        #expect(try ImageHeader.read(limited.content.span).width == 2)
    }

    // MARK: Its format

    @Test(arguments: [
        (nil, "image/jpeg", "image/png"), ("*/*", "image/jpeg", "image/png"), ("image/*", "image/jpeg", "image/png"),
        ("image/webp", "image/webp", "image/webp"), ("image/jpeg", "image/jpeg", "image/jpeg"),
        ("image/png;q=0.9, image/jpeg;q=0.1", "image/png", "image/png"),
    ])
    func `Accept selects the format, and without it the image does`(
        accept: String?,
        opaque: String,
        transparent: String
    ) throws {
        let fields = accept.map { [("Accept", $0)] } ?? []
        for (image, type) in [(SmallImage.lyingOnItsSide, opaque), (.transparent, transparent)] {
            let response = try post("", fields, image.content)
            #expect(response.status == 200)
            #expect(response.fields["content-type"] == type)
            #expect(response.fields["vary"] == "Accept")
            #expect(try ImageHeader.read(response.content.span).mediaType == type)
        }
    }

    @Test(arguments: ThumbnailFormat.allCases)
    func `the option takes precedence over Accept`(format: ThumbnailFormat) throws {
        let fields = [("Accept", "application/json, image/gif;q=0.5")]
        let response = try post("?thumbnail=4x4,format=\(format)", fields)
        #expect(response.fields["content-type"] == format.mediaType)
        #expect(response.fields["vary"] == nil)
        #expect(try ImageHeader.read(response.content.span).mediaType == format.mediaType)
    }

    @Test(arguments: ["application/json", "image/gif, text/*", "*/*;q=0", "image/avif;q=1.0, image/*;q=0.0"])
    func `a client that accepts none of the formats receives a list of them`(accept: String) throws {
        let response = try post("", [("Accept", accept)])
        #expect(response.status == 406)
        #expect(response.fields["vary"] == "Accept")
        let problem = try problem(response)
        #expect(problem.code == "request.not_acceptable")
        #expect(problem.chain[0].expected == ["image/jpeg", "image/png", "image/webp"])
    }

    // MARK: Options

    @Test(arguments: [
        "view=value", "placeholder=average", "fingerprint=phash", "decode=full", "scale=2", "exif=none", "nulls=keep",
        "max-nesting-depth=5", "max-thumbnails=1", "width=5",
    ])
    func `an option that does not affect a thumbnail is rejected with a list of those that do`(query: String) throws {
        let response = try post("?" + query)
        #expect(response.status == 400)
        let problem = try problem(response)
        #expect(problem.code == "request.invalid_option")
        #expect(problem.chain[0].expected == OptionParser.namesForThumbnail.map(\.rawValue))
    }

    @Test(arguments: [
        ("thumbnail=none", "the option 'thumbnail' cannot be 'none'"),
        ("thumbnail=4x4&thumbnail=2x2", "the option 'thumbnail' is given more than once"),
        ("serializer=json", "the option 'serializer' cannot be 'json'; allowed: image"),
        ("serializer=auto", "the option 'serializer' cannot be 'auto'; allowed: image"),
        ("max-thumbnail-side=3&thumbnail=4x4", "the option 'thumbnail' cannot be '4x4'"),
    ])
    func `exactly one thumbnail of an image is allowed`(query: String, detail: String) throws {
        let response = try post("?" + query)
        #expect(response.status == 400)
        #expect(try problem(response).detail.hasPrefix(detail))
    }

    @Test func `every other option is accepted`() throws {
        let query = "?serializer=image&profile=afnetworking&type=image/png&accept-status=404&accept-types=image/png"
        let response = try post(query + "&truncated=allow&max-image-side=8", [("Upstream-Status", "404")])
        #expect(response.status == 200)
        #expect(response.fields["decant-upstream-status"] == "404")
    }

    // MARK: Rejections

    @Test func `a rejected status has the facts of the image as its value, without a thumbnail`() throws {
        let response = try post("", [("Content-Type", "image/png"), ("Upstream-Status", "404")])
        #expect(response.status == 422)
        #expect(try problem(response).chain.map(\.code) == ["response.unacceptable_status"])
        #expect(response.text.contains(#""value":{"format":"png","mediaType":"image/png","width":8,"height":4,"#))
        #expect(!response.text.contains("base64"))
    }

    @Test(arguments: [
        ("Content-Type: text/html", 200, "response.unacceptable_type"),
        ("Content-Type: application/json", 500, "response.unacceptable_status, response.unacceptable_type"),
        ("Content-Encoding: x-foo", 200, "encoding.unsupported"),
    ])
    func `an upstream response is rejected as on the other paths`(field: String, status: Int, codes: String) throws {
        let parts = field.split(separator: ": ").map(String.init)
        let response = try post("", [(parts[0], parts[1]), ("Upstream-Status", "\(status)")])
        #expect(response.status == 422)
        #expect(try problem(response).chain.map(\.code).joined(separator: ", ") == codes)
    }

    @Test(arguments: [
        ("hello", 200, "image.not_an_image"), ("hello", 502, "response.unacceptable_status, image.not_an_image"),
        ("<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>", 200, "image.unsupported_pixels"),
    ])
    func `content that cannot be decoded is rejected`(content: String, status: Int, codes: String) throws {
        let fields = [("Content-Type", "image/png"), ("Upstream-Status", "\(status)")]
        let response = try post("", fields, Array(content.utf8))
        #expect(response.status == 422)
        #expect(try problem(response).chain.map(\.code).joined(separator: ", ") == codes)
    }

    @Test func `a damaged image is rejected, or the intact part is shown with a warning`() throws {
        let cut = Array(SmallImage.lyingOnItsSide.content.dropLast(6))
        #expect(try problem(post("", Self.jpeg, cut)).code == "image.truncated")
        let response = try post("?truncated=allow", Self.jpeg, cut)
        #expect(response.status == 200)
        #expect(response.fields["decant-warnings"] == "image.truncated")
    }

    @Test func `a wrong media type causes a warning`() throws {
        let response = try post("", [("Content-Type", "image/gif")])
        #expect(response.status == 200)
        #expect(response.fields["decant-warnings"] == "image.type_mismatch")
    }

    @Test func `the type of an image that is sent as a form is proposed`() throws {
        let response = try post("", [("Content-Type", "application/x-www-form-urlencoded")])
        #expect(try problem(response).hint?.contains("override its type with type=image/png") == true)
    }

    @Test(arguments: [
        ([], []), ([("Upstream-Method", "HEAD")], SmallImage.transparent.content),
        ([("Upstream-Status", "204")], []),
    ])
    func `a response without an image has no content`(fields: [(String, String)], content: [UInt8]) throws {
        let response = try post("", [("Content-Type", "image/png")] + fields, content)
        #expect(response.status == 204)
        #expect(response.content.isEmpty)
        #expect(response.fields["decant-outcome"] == "empty")
        #expect(response.fields["content-type"] == nil)
        #expect(response.fields["decant-width"] == nil)
    }

    @Test func `limits are enforced`() throws {
        #expect(try problem(post("?max-output-bytes=10")).code == "limit.output_bytes")
        #expect(try problem(post("?max-image-pixels=31")).code == "image.too_large_to_decode")
        #expect(try problem(post("?max-content-bytes=10")).code == "request.content_too_large")
    }

    @Test func `without workers there is no thumbnail`() throws {
        let response = try post(at: ThumbnailService.withoutWorkers)
        #expect(response.status == 503)
        #expect(try problem(response).code == "worker.none")
        // A later attempt cannot help.
        #expect(response.fields["retry-after"] == nil)
        // A request that needs no pixels succeeds.
        #expect(try post("", [("Upstream-Status", "304")], [], at: ThumbnailService.withoutWorkers).status == 422)
        #expect(try post("", [], [], at: ThumbnailService.withoutWorkers).status == 204)
    }
}

/// The service on a free port of this machine, for as long as the tests run.
private enum ThumbnailService {
    static let withWorkers: Result<HTTPServer, any Error> = Result {
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        return try daemon(WorkerPool(WorkerConfiguration(), log: log))
    }

    static let withoutWorkers: Result<HTTPServer, any Error> = Result { try daemon(nil) }

    private static func daemon(_ pool: WorkerPool?) throws -> HTTPServer {
        var configuration = HTTPServerConfiguration()
        configuration.port = 0
        return try HTTPServer(
            configuration,
            application: DecantApplication(readiness: Readiness(.ready), workers: pool),
            lanes: Lanes(workers: pool)
        )
    }
}

private enum SmallImage: String {
    /// A JPEG of 32 × 16 pixels, red on the left and blue on the right, with orientation 6.
    case lyingOnItsSide = """
        /9j/4QC8RXhpZgAASUkqAAgAAAAGABIBAwABAAAABgAAABoBBQABAAAAVgAAABsBBQABAAAAXgAAACgBAwABAAAAAgAAABMCAwABAAAAAQAA\
        AGmHBAABAAAAZgAAAAAAAAA4YwAA6AMAADhjAADoAwAABgAAkAcABAAAADAyMTABkQcABAAAAAECAwAAoAcABAAAADAxMDABoAMAAQAAAP//\
        AAACoAQAAQAAACAAAAADoAQAAQAAABAAAAAAAAAA/9sAQwAGBAUGBQQGBgUGBwcGCAoQCgoJCQoUDg8MEBcUGBgXFBYWGh0lHxobIxwWFiAs\
        ICMmJykqKRkfLTAtKDAlKCko/9sAQwEHBwcKCAoTCgoTKBoWGigoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgo\
        KCgoKCgo/8AAEQgAEAAgAwEiAAIRAQMRAf/EABUAAQEAAAAAAAAAAAAAAAAAAAAG/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/EABYBAQEBAAAA\
        AAAAAAAAAAAAAAcGCP/EABQRAQAAAAAAAAAAAAAAAAAAAAD/2gAMAwEAAhEDEQA/AIABPGFKgNBA5//Z
        """
    /// A PNG of 8 × 4 pixels, red on the left and transparent on the right.
    case transparent = """
        iVBORw0KGgoAAAANSUhEUgAAAAgAAAAECAYAAACzzX7wAAAAFElEQVR42mM4ISf3HxkzoAPaKwAAScMgMfTQK6kAAAAASUVORK5CYII=
        """

    var content: [UInt8] { [UInt8](Data(base64Encoded: rawValue) ?? Data()) }
}
