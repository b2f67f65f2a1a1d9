import Fetching
import Flights
import Foundation
import Origin
import Testing

@testable import HTTP
@testable import Images
@testable import Serialization
@testable import Service
@testable import Workers

/// `GET /v1/image` from the outside: a service with workers, the built fetcher, and a scripted origin.
@Suite struct ImageServiceTests {
    // MARK: The service

    private func server(
        for origin: Origin,
        workers: WorkerPool? = nil,
        access: AccessControl = .unrestricted,
        sizes: String = "",
        origins: String = ""
    ) throws -> FetchServer {
        var images = ImageSettings()
        if let sizes = ImageSizes(parsing: sizes) { images.sizes = sizes }
        if let origins = CORSOrigins(parsing: origins) { images.corsOrigins = origins }
        return try FetchServer(for: origin, access: access, workers: workers ?? FetchServer.oneWorker(), images: images)
        {
            $0.attempts.maxRetries = 0
        }
    }

    /// The target of a request for the image of an origin.
    private func target(_ origin: Origin, _ path: String, _ parameters: String = "") -> String {
        "/v1/image?url=\(Script.argument(origin.url(path)))\(parameters)"
    }

    /// An origin with `/photo.png`, an opaque image of 400 × 200 pixels, and others.
    private func origin() throws -> Origin {
        let origin = try Origin()
        let files: [(String, Script)] = [
            ("/photo.png", Self.script(Self.photo, "image/png")),
            ("/missing.png", Self.script(Self.photo, "image/png", status: 404)),
            ("/missing.html", Self.script(Array("<!doctype html>".utf8), "text/html", status: 404)),
            ("/page.html", Self.script(Array("<!doctype html><script>alert(1)</script>".utf8), "text/html")),
            ("/page.png", Self.script(Array("<!doctype html><script>alert(1)</script>".utf8), "image/png")),
            ("/broken.png", Self.script(Array(Self.photo.prefix(60)), "image/png")),
            ("/animated.gif", Self.script(Self.animation, "image/gif")),
            ("/empty", Self.script([], "image/png")),
            ("/error", Self.script([], "text/plain", status: 500)),
        ]
        for (path, script) in files { origin.respond(to: path, with: script) }
        var held = Self.script(Self.photo, "image/png")
        held.waitsBeforeHead = [.hold("gate")]
        origin.respond(to: "/held.png", with: held)
        var late = Self.script([], "text/plain", status: 404)
        late.waitsBeforeHead = [.hold("gate")]
        origin.respond(to: "/held-missing", with: late)
        return origin
    }

    private static func script(_ content: [UInt8], _ type: String, status: Int = 200) -> Script {
        Script(status: status, fields: [("Content-Type", type)], content: .bytes(content))
    }

    private static let photo = PlainImage(width: 400, height: 200, color: RGBA(red: 200, green: 0, blue: 0))
        .encoded(as: .png)

    /// A JPEG whose pixels all differ from their neighbours.
    private static func gradient(width: Int, height: Int) -> [UInt8] {
        var pixels: [UInt8] = []
        for y in 0..<height {
            for x in 0..<width { pixels += [UInt8(x * 7 & 0xFF), UInt8(y * 5 & 0xFF), UInt8(x * y & 0xFF), 0xFF] }
        }
        let image = RGBAImage(width: width, height: height, pixels: pixels)
        return (try? JPEGEncoder.encode(image, isGrey: false, quality: 90)) ?? []
    }

    /// A GIF of 2 × 2 pixels with a red frame and a blue one.
    private static let animation: [UInt8] = {
        func frame(_ index: Int) -> [UInt8] {
            // Each code has three bits, because the table is cleared before it grows.
            var bits = 0
            for (position, code) in [4, index, index, 4, index, index, 5].enumerated() {
                bits |= code << (position * 3)
            }
            let data = (0..<3).map { UInt8(truncatingIfNeeded: bits >> ($0 * 8)) }
            return [0x21, 0xF9, 4, 0, 10, 0, 0, 0, 0x2C, 0, 0, 0, 0, 2, 0, 2, 0, 0, 2, 3] + data + [0]
        }
        return Array("GIF89a".utf8) + [2, 0, 2, 0, 0x80, 0, 0, 255, 0, 0, 0, 0, 255] + frame(0) + frame(1) + [0x3B]
    }()

    private func size(_ response: ReceivedResponse) throws -> String {
        let header = try ImageHeader.read(response.content.span)
        #expect(header.mediaType == response.fields["content-type"])
        return "\(header.width ?? 0)x\(header.height ?? 0)"
    }

    private func isProtected(_ response: ReceivedResponse) -> Bool {
        response.fields["x-content-type-options"] == "nosniff"
            && response.fields["content-security-policy"] == "default-src 'none'; sandbox"
    }

    // MARK: Images

    @Test func `an image is returned as a thumbnail of the default size, and HEAD returns its fields`() throws {
        let origin = try origin()
        let fetch = try server(for: origin)
        let response = try fetch.send("GET", target(origin, "/photo.png"))
        #expect(response.status == 200, "\(response.text)")
        #expect(try size(response) == "256x128")
        #expect(response.fields["content-type"] == "image/jpeg" && response.fields["vary"] == "Accept")
        #expect(response.fields["decant-width"] == "400" && response.fields["decant-height"] == "200")
        #expect(response.fields["cache-control"] == "no-store" && isProtected(response))
        #expect(response.fields["cache-status"] == "decant; fwd=bypass; fwd-status=200")
        #expect(response.fields["access-control-allow-origin"] == nil && response.fields["decant-fallback"] == nil)
        let client = try fetch.client()
        client.send("HEAD \(target(origin, "/photo.png")) HTTP/1.1\r\nHost: a\r\n\r\n")
        let head = try client.readResponse(isToHead: true)
        #expect(head.status == 200 && head.content.isEmpty)
        #expect(head.fields["content-length"] == "\(response.content.count)" && isProtected(head))
        let recorded = try #require(origin.recordedRequests.first).head
        #expect(String(decoding: recorded, as: UTF8.self).contains("image/*"))
    }

    @Test(arguments: [
        ("image/webp", "", "image/webp", "Accept"), ("image/png,*/*;q=0.5", "", "image/png", "Accept"),
        ("text/html", "&thumbnail=8x8,format=webp", "image/webp", nil),
    ])
    func `the format is negotiated as for a posted image`(
        accept: String,
        parameters: String,
        type: String,
        vary: String?
    ) throws {
        let origin = try origin()
        let fetch = try server(for: origin)
        let response = try fetch.send("GET", target(origin, "/photo.png", parameters), fields: "Accept: \(accept)\r\n")
        #expect(response.status == 200 && response.fields["content-type"] == type && response.fields["vary"] == vary)
    }

    @Test func `a request for a range receives the complete image`() throws {
        let origin = try origin()
        let fetch = try server(for: origin)
        let whole = try fetch.send("GET", target(origin, "/photo.png"))
        let range = try fetch.send("GET", target(origin, "/photo.png"), fields: "Range: bytes=0-9\r\n")
        #expect(range.status == 200 && range.content == whole.content && range.fields["content-range"] == nil)
    }

    @Test func `the first frame of an animation is shown`() throws {
        let origin = try origin()
        let fetch = try server(for: origin)
        let response = try fetch.send("GET", target(origin, "/animated.gif", "&thumbnail=2x2,format=png"))
        #expect(response.status == 200, "\(response.text)")
        var source = try PNGPixels(response.content.span)
        let format = try source.begin(response.content.span, reduction: 1, maxMemoryBytes: 1 << 20)
        var pixels = [UInt8](repeating: 0, count: format.height * format.rowBytes)
        var rows = pixels.mutableSpan
        #expect(try source.readRows(response.content.span, into: &rows) == 2)
        #expect(pixels[0] == 255 && pixels[2] == 0)
    }

    @Test func `an empty response is 204, which is no problem`() throws {
        let origin = try origin()
        let fetch = try server(for: origin)
        let response = try fetch.send("GET", target(origin, "/empty", "&fallback=cccccc"))
        #expect(response.status == 204 && response.fields["decant-outcome"] == "empty" && isProtected(response))
    }

    // MARK: Merging

    @Test func `many sizes of one URL are one fetch, and one rendering each`() throws {
        let origin = try origin()
        let fetch = try server(for: origin)
        let sides = Array(1...40)
        let clients = try sides.map { side in
            let client = try fetch.client()
            let target = target(origin, "/held.png", "&thumbnail=\(side)x\(side)")
            client.send("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
            return client
        }
        // The same image as JSON has the same identity, and another form.
        let facts = try fetch.client()
        let url = Script.argument(origin.url("/held.png"))
        facts.send("GET /v1/fetch?url=\(url)&serializer=image&thumbnail=8x8 HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(origin.awaitHolding(1, at: "gate"))
        #expect(eventually { fetch.service.thread.metrics.figures.flights.merged == 40 })
        origin.release("gate")
        for (side, client) in zip(sides, clients) {
            let response = try client.readResponse()
            #expect(response.status == 200)
            #expect(try size(response).hasPrefix("\(side)x"))
        }
        #expect(try facts.readResponse().text.contains(#""format":"png""#))
        #expect(origin.requestCount == 1)
    }

    @Test func `sizes that wait for a worker are rendered in one decode`() throws {
        let origin = try origin()
        let photo = Self.gradient(width: 640, height: 640)
        origin.respond(to: "/gradient.jpg", with: Self.script(photo, "image/jpeg"))
        let workers = try FetchServer.oneWorker()
        let fetch = try server(for: origin, workers: workers)
        let gate = Gate()
        #expect(workers.submit(requestID: "") { _ in gate.pass() } != .rejected(.saturated))
        #expect(eventually { workers.waitingJobs == 0 })

        let sides = [320, 40, 160]
        let clients = try sides.map { side in
            let client = try fetch.client()
            let target = target(origin, "/gradient.jpg", "&thumbnail=\(side)x\(side),format=jpeg")
            client.send("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
            // The first one to begin determines the order of the thumbnails, which has no effect on their content.
            return client
        }
        #expect(eventually { workers.waitingJobs == sides.count })
        gate.open()

        // The scale at which a JPEG is decoded depends on the largest thumbnail, and so do the pixels of the others.
        func contents(_ sides: [Int]) throws -> [[UInt8]] {
            var request = RenderingRequest(.jpeg)
            request.thumbnails = sides.map { side in
                var thumbnail = ThumbnailRequest(width: side, height: side)
                thumbnail.format = .jpeg
                return thumbnail
            }
            return try PixelRenderer().render(photo.span, request).thumbnails.map { Array($0.content) }
        }
        let expected = try contents(sides)
        #expect(try contents([40]) != [expected[1]])
        #expect(try clients.map { try $0.readResponse().content } == expected)
    }

    @Test func `the field Vary is that of each request`() throws {
        let origin = try origin()
        let fetch = try server(for: origin)
        let fields = ["", "Accept: image/jpeg\r\n"]
        let parameters = ["&thumbnail=8x8,format=jpeg", "&thumbnail=8x8"]
        let clients = try zip(fields, parameters).map { fields, parameters in
            let client = try fetch.client()
            client.send("GET \(target(origin, "/held.png", parameters)) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n")
            return client
        }
        #expect(eventually { fetch.service.thread.metrics.figures.flights.merged == 1 })
        origin.release("gate")
        let responses = try clients.map { try $0.readResponse() }
        #expect(responses.map { $0.fields["vary"] } == [nil, "Accept"])
        #expect(responses[0].content == responses[1].content)
    }

    @Test func `a client that resets its connection cancels its request`() throws {
        let origin = try origin()
        let fetch = try server(for: origin)
        let client = try fetch.client()
        client.send("GET \(target(origin, "/held.png", "&fallback=cccccc")) HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(origin.awaitHolding(1, at: "gate"))
        #expect(eventually { fetch.service.thread.metrics.figures.active == 1 })
        client.reset()
        #expect(eventually { fetch.service.thread.metrics.figures.active == 0 })
        #expect(origin.awaitPeerClosed(1))
    }

    @Test func `a slot shows one image at a time`() throws {
        let origin = try origin()
        let fetch = try server(for: origin)
        let first = try fetch.client()
        first.send("GET \(target(origin, "/held.png", "&slot=s&fallback=cccccc")) HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(origin.awaitHolding(1, at: "gate"))
        #expect(try fetch.send("GET", target(origin, "/photo.png", "&slot=s")).status == 200)
        let superseded = try first.readResponse()
        #expect(superseded.status == 409 && superseded.fields["decant-fallback"] == "fetch.superseded")
    }

    // MARK: Rejections

    @Test(arguments: [
        ("/page.html", "", 422, "response.unacceptable_type"), ("/page.png", "", 422, "image.not_an_image"),
        ("/broken.png", "", 422, "image.truncated"), ("/missing.png", "", 422, "response.unacceptable_status"),
        ("/photo.png", "&max-image-pixels=79999", 422, "image.too_large_to_decode"),
        ("/photo.png", "&max-content-bytes=10", 422, "limit.content_bytes"),
        ("/photo.png", "&max-output-bytes=10", 422, "limit.output_bytes"),
        ("/photo.png", "&cache=only-if-cached", 504, "cache.only_if_cached"),
        ("/photo.png", "&cache-key=k", 403, "fetch.cache_key_not_allowed"),
        ("/reset/before-head", "", 502, "fetch.connection_lost"),
        ("/reset/in-content/content/1000", "", 502, "fetch.connection_lost"),
        ("/photo.png", "&thumbnail=0x0", 400, "request.invalid_option"),
        ("/photo.png", "&thumbnail=2049x1", 400, "request.invalid_option"),
        ("/photo.png", "&thumbnail=none", 400, "request.invalid_option"),
        ("/photo.png", "&thumbnail=1x1&thumbnail=2x2", 400, "request.invalid_option"),
        ("/photo.png", "&serializer=json", 400, "request.invalid_option"),
        ("/photo.png", "&nulls=keep", 400, "request.invalid_option"),
        ("/photo.png", "&falback=cccccc", 400, "request.invalid_option"),
        ("/photo.png", "&fallback=blue", 400, "request.invalid_option"),
        ("/photo.png", "&fallback-on=404", 400, "request.invalid_option"),
        ("/photo.png", "&wait=-1", 400, "request.invalid_option"),
        ("/photo.png", "&url=x", 400, "request.invalid_option"),
    ])
    func `problems have their codes, and cannot be executed by browsers`(
        path: String,
        parameters: String,
        status: Int,
        code: String
    ) throws {
        let origin = try origin()
        let fetch = try server(for: origin)
        let response = try fetch.send("GET", target(origin, path, parameters))
        #expect(response.status == status && response.text.contains(#""code":"\#(code)""#), "\(response.text)")
        #expect(response.fields["content-type"] == "application/problem+json" && isProtected(response))
    }

    @Test(arguments: [
        ("&thumbnail=1x1", "1x1"), ("&thumbnail=2048x2048", "400x200"),
        ("&thumbnail=800x3,enlarge=true,fit=fill", "800x3"),
        ("&serializer=image", "256x128"),
    ])
    func `the smallest and the largest size are possible`(parameters: String, expected: String) throws {
        let origin = try origin()
        let fetch = try server(for: origin)
        let response = try fetch.send("GET", target(origin, "/photo.png", parameters))
        #expect(response.status == 200)
        #expect(try size(response) == expected)
    }

    @Test func `an image with another status is shown if the status is accepted`() throws {
        let origin = try origin()
        let fetch = try server(for: origin)
        let response = try fetch.send("GET", target(origin, "/missing.png", "&accept-status=*"))
        #expect(response.status == 200 && response.fields["decant-upstream-status"] == "404")
    }

    @Test func `other methods are rejected, and a client that accepts no image`() throws {
        let origin = try origin()
        let fetch = try server(for: origin)
        for method in ["OPTIONS", "POST", "DELETE"] {
            let response = try fetch.send(method, target(origin, "/photo.png"))
            #expect(response.status == 405 && response.fields["allow"] == "GET, HEAD" && isProtected(response))
        }
        let response = try fetch.send("GET", target(origin, "/photo.png"), fields: "Accept: text/html\r\n")
        #expect(response.status == 406 && response.fields["vary"] == "Accept" && isProtected(response))
        #expect(origin.requestCount == 0)
    }

    @Test func `a rejection by the HTTP side is protected, too`() throws {
        let origin = try origin()
        let fetch = try server(for: origin, origins: "*")
        let client = try fetch.client()
        client.send("GET \(target(origin, "/photo.png")) HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx")
        let response = try client.readResponse()
        #expect(response.status == 413 && isProtected(response))
        #expect(response.fields["access-control-allow-origin"] == "*")
        // The fields are those of one request, not of its connection.
        client.send("GET /livez HTTP/1.1\r\nHost: a\r\n\r\n")
        let next = try client.readResponse()
        #expect(next.status == 200 && next.fields["content-security-policy"] == nil)
    }

    // MARK: Fallbacks

    @Test(arguments: [
        ("/missing.html", "", 422, "response.unacceptable_status"),
        ("/missing.png", "", 422, "response.unacceptable_status"),
        ("/page.png", "", 422, "response.type_mismatch"), ("/broken.png", "", 422, "image.truncated"),
        ("/reset/before-head", "", 502, "fetch.connection_lost"), ("/error", "", 422, "response.unacceptable_status"),
        ("/missing.html", "&fallback-on=404", 422, "response.unacceptable_status"),
        ("/error", "&fallback-on=404,5xx", 422, "response.unacceptable_status"),
        ("/broken.png", "&fallback-on=200", 422, "image.truncated"),
        ("/photo.png", "&fallback-on=200&max-content-bytes=10", 422, "limit.content_bytes"),
        ("/reset/before-head", "&fallback-on=fetch", 502, "fetch.connection_lost"),
        ("/missing.html", "&fallback-status=200", 200, "response.unacceptable_status"),
        ("/reset/before-head", "&fallback-status=404", 404, "fetch.connection_lost"),
        ("/photo.png", "&cache=only-if-cached", 504, "cache.only_if_cached"),
    ])
    func `a plain image takes the place of a problem`(
        path: String,
        parameters: String,
        status: Int,
        code: String
    ) throws {
        let origin = try origin()
        let fetch = try server(for: origin)
        let response = try fetch.send("GET", target(origin, path, "&fallback=cccccc&thumbnail=30x20" + parameters))
        #expect(response.status == status && response.fields["decant-fallback"] == code, "\(response.text)")
        #expect(response.fields["cache-control"] == "max-age=10" && response.fields["vary"] == "Accept")
        #expect(response.fields["content-type"] == "image/png" && isProtected(response))
        #expect(response.fields["cache-status"]?.hasPrefix("decant") == true)
        #expect(try size(response) == "30x20")
        #expect(
            response.content
                == PlainImage(width: 30, height: 20, color: RGBA(red: 204, green: 204, blue: 204)).encoded(as: .png)
        )
    }

    @Test(arguments: [
        ("/missing.html", "5xx,fetch", 422), ("/error", "404", 422), ("/reset/before-head", "4xx,5xx", 502),
        ("/broken.png", "404,5xx,fetch", 422),
    ])
    func `other problems are sent`(path: String, conditions: String, status: Int) throws {
        let origin = try origin()
        let fetch = try server(for: origin)
        let response = try fetch.send("GET", target(origin, path, "&fallback=cccccc&fallback-on=\(conditions)"))
        #expect(response.status == status && response.fields["content-type"] == "application/problem+json")
        #expect(response.fields["decant-fallback"] == nil)
    }

    @Test(arguments: [
        ("image/webp", "", "image/webp"), ("image/jpeg", "", "image/jpeg"), ("image/png", "", "image/png"),
        ("image/jpeg", ",format=webp", "image/webp"), ("*/*", "", "image/png"),
    ])
    func `the fallback has the negotiated format`(accept: String, part: String, type: String) throws {
        let origin = try origin()
        let fetch = try server(for: origin)
        let parameters = "&fallback=transparent&thumbnail=50x40\(part)"
        let response = try fetch.send("GET", target(origin, "/error", parameters), fields: "Accept: \(accept)\r\n")
        #expect(response.status == 422 && response.fields["content-type"] == type)
        #expect(try size(response) == "50x40")
        #expect((response.fields["vary"] != nil) == part.isEmpty)
    }

    @Test func `a URL that is not requested has a fallback, and a wrong request has none`() throws {
        let origin = try origin()
        let fetch = try server(for: origin)
        for (url, code, status) in [
            ("https%3A%2F%2Fb.example%2Fx", "fetch.host_not_allowed", 403),
            ("ftp%3A%2F%2Fa", "fetch.unsupported_scheme", 400),
            ("nonsense", "fetch.invalid_url", 400),
        ] {
            let response = try fetch.send("GET", "/v1/image?url=\(url)&fallback=cccccc")
            #expect(response.status == status && response.fields["decant-fallback"] == code)
            #expect(try size(response) == "256x256")
            let excluded = try fetch.send("GET", "/v1/image?url=\(url)&fallback=cccccc&fallback-on=404")
            #expect(excluded.status == status && excluded.fields["decant-fallback"] == nil)
        }
        for parameters in ["&thumbnail=0x0", "&cache-key=k", "&nonsense=1"] {
            let response = try fetch.send("GET", target(origin, "/photo.png", "&fallback=cccccc" + parameters))
            #expect(response.fields["content-type"] == "application/problem+json")
        }
    }

    @Test func `a service without workers shows the fallback`() throws {
        let origin = try origin()
        let fetch = try FetchServer(for: origin)
        let response = try fetch.send("GET", target(origin, "/photo.png", "&fallback=cccccc&fallback-on=fetch"))
        #expect(response.status == 503 && response.fields["decant-fallback"] == "worker.none")
        #expect(response.fields["retry-after"] == nil && response.fields["cache-control"] == "max-age=10")
    }

    @Test func `a fallback for which there is no memory is not sent`() throws {
        let options = ImageResponseOptions(
            isNegotiated: true,
            fallback: ImageFallback(
                ImageQuery.Fallback(color: RGBA(red: 1, green: 2, blue: 3)),
                in: try NegotiatedThumbnail(
                    ConfiguredSerializer(limits: Limits(), purpose: .thumbnail)
                        .serializer(query: "thumbnail=2000x2000,format=jpeg"),
                    of: ConfiguredSerializer(limits: Limits(), purpose: .thumbnail),
                    RequestFields()
                )
            )
        )
        let account = MemoryAccount(maxBytes: 1 << 10)
        let problem = Problem(.saturated, "x").response(requestID: "a")
        #expect(
            options.finish(problem, upstreamStatus: nil, account).contentType.map { "\($0)" }
                == "application/problem+json"
        )
        let postponed = options.postponed("r", location: "/", isPreference: false, stale: nil, account)
        #expect(postponed.contentType.map { "\($0)" } == "application/json")
    }

    // MARK: Waiting

    @Test(arguments: [("&wait=0", ""), ("", "Prefer: respond-async, wait=0\r\n")])
    func `after the wait the response is 202 with the fallback, and the image has a location`(
        parameters: String,
        fields: String
    ) throws {
        let origin = try origin()
        let fetch = try server(for: origin, origins: "*")
        let response = try fetch.send(
            "GET",
            target(origin, "/held.png", "&fallback=cccccc" + parameters),
            fields: fields
        )
        #expect(response.status == 202 && response.fields["decant-fallback"] == "pending")
        #expect(try size(response) == "256x256")
        #expect(response.fields["cache-control"] == "no-store" && response.fields["retry-after"] == "1")
        #expect(response.fields["preference-applied"] == (fields.isEmpty ? nil : "respond-async"))
        #expect(isProtected(response))
        let location = try #require(response.fields["location"])
        let pending = try fetch.send("GET", location)
        #expect(pending.status == 202 && pending.text.contains("receipt") && isProtected(pending))
        #expect(pending.fields["access-control-allow-origin"] == "*")
        origin.release("gate")
        #expect(try eventually { try fetch.send("GET", location).status == 200 })
        let image = try fetch.send("GET", location)
        #expect(try size(image) == "256x128")
        #expect(image.fields["content-type"] == "image/jpeg" && isProtected(image))
        #expect(image.fields["access-control-allow-origin"] == "*" && image.fields["vary"] == "Accept")
        // Repeating the request returns it too, also with another fallback.
        let again = try fetch.send("GET", target(origin, "/held.png", "&fallback=000000&wait=0"))
        #expect(again.status == 200 && again.content == image.content)
        #expect(origin.requestCount == 1)
    }

    @Test func `without a fallback, the content of 202 is the receipt`() throws {
        let origin = try origin()
        let fetch = try server(for: origin)
        let response = try fetch.send("GET", target(origin, "/held.png", "&wait=0"))
        #expect(response.status == 202 && response.text.hasPrefix(#"{"receipt":""#))
        #expect(response.fields["content-type"] == "application/json" && isProtected(response))
    }

    @Test func `the result of a receipt is the fallback if it is a problem`() throws {
        let origin = try origin()
        let fetch = try server(for: origin)
        let waiting = try fetch.send(
            "GET",
            target(origin, "/held-missing", "&fallback=cccccc&fallback-status=200&wait=0")
        )
        let location = try #require(waiting.fields["location"])
        origin.release("gate")
        #expect(try eventually { try fetch.send("GET", location).status == 200 })
        let response = try fetch.send("GET", location)
        #expect(response.fields["decant-fallback"] == "response.unacceptable_status" && isProtected(response))
    }

    // MARK: Access

    @Test func `a size that is not in the list needs a signature`() throws {
        let origin = try origin()
        let access = try AccessControl.testing(tokens: [TokenFile.web], signingKeys: TokenFile.signingKeys)
        let fetch = try server(
            for: origin,
            access: access,
            sizes: "64x64,fit=cover,128x128",
            origins: "https://a.example"
        )
        let token = "Authorization: Bearer \(TokenFile.web.text)\r\n"
        let listed = target(origin, "/photo.png", "&thumbnail=64x64,fit=cover")
        let missing = try fetch.send("GET", listed, fields: "Origin: https://a.example\r\n")
        #expect(missing.status == 401 && isProtected(missing))
        #expect(missing.fields["access-control-allow-origin"] == "https://a.example")
        #expect(try fetch.send("GET", listed, fields: token).status == 200)
        for parameters in ["", "&thumbnail=65x64,fit=cover", "&thumbnail=64x64", "&thumbnail=65x64&fallback=cccccc"] {
            let response = try fetch.send("GET", target(origin, "/photo.png", parameters), fields: token)
            #expect(response.status == 403 && response.text.contains("fetch.size_not_allowed"))
            #expect(
                response.text.contains("image-sizes")
                    && response.text.contains(#""expected":["64x64,fit=cover","128x128"]"#)
            )
        }
        let key = try SigningKeys(parsing: TokenFile.signingKeys)
        for parameter in [
            "accept=image%2Fpng", "cache=reload", "cache=no-cache", "cache=no-store", "store=false", "cache-key=x",
            "max-output-bytes=99999", "accept-status=200", "truncated=allow",
        ] {
            let response = try fetch.send("GET", listed + "&" + parameter, fields: token)
            #expect(response.status == 403 && response.text.contains("fetch.size_not_allowed"), "\(parameter)")
            #expect(try fetch.send("GET", key.sign(listed + "&" + parameter)).status == 200, "\(parameter)")
        }
        for parameter in ["cache=default", "cache=force-cache", "store=true", "redirects=error", "serializer=image"] {
            #expect(try fetch.send("GET", listed + "&" + parameter, fields: token).status == 200, "\(parameter)")
        }
        let signed = key.sign(target(origin, "/photo.png", "&thumbnail=65x64"))
        #expect(try size(fetch.send("GET", signed)) == "65x33")
        #expect(try fetch.send("GET", String(signed.dropLast())).status == 403)
    }

    @Test func `pages of the listed origins can read every response`() throws {
        let origin = try origin()
        let fetch = try server(for: origin, origins: "https://a.example")
        for (path, parameters, status, vary) in [
            ("/photo.png", "", 200, "Accept, Origin"), ("/photo.png", "&thumbnail=0x0", 400, "Origin"),
            ("/error", "", 422, "Origin"), ("/error", "&fallback=cccccc", 422, "Accept, Origin"),
        ] {
            let allowed = try fetch.send(
                "GET",
                target(origin, path, parameters),
                fields: "Origin: https://a.example\r\n"
            )
            #expect(allowed.status == status && allowed.fields["access-control-allow-origin"] == "https://a.example")
            #expect(allowed.fields["vary"] == vary)
            let other = try fetch.send("GET", target(origin, path, parameters), fields: "Origin: https://b.example\r\n")
            #expect(other.fields["access-control-allow-origin"] == nil && other.fields["vary"] == vary)
        }
        let url = Script.argument(origin.url("/json/10"))
        let json = try fetch.send("GET", "/v1/fetch?url=\(url)", fields: "Origin: https://a.example\r\n")
        #expect(json.fields["access-control-allow-origin"] == nil && json.fields["content-security-policy"] == nil)
    }

    @Test func `without fetch-allow it is disabled`() throws {
        let application = DecantApplication(readiness: Readiness(.ready))
        let exchange = try LocalExchange("GET", "/v1/image?url=x&fallback=cccccc", to: application)
        #expect(exchange.status == 403 && exchange.content.contains("fetch.not_configured"))
    }
}
