import SerializationSupport
import Synchronization
import Testing

@testable import Images
@testable import Serialization

@Suite struct ImageSerializationTests {
    /// Returns a given result, and stores the request.
    private final class Renderer: ImageRenderer {
        let result: Result<Rendering, RenderingError>
        let requests = Mutex<[RenderingRequest]>([])

        init(_ result: Result<Rendering, RenderingError>) {
            self.result = result
        }

        func render(_ content: Span<UInt8>, _ request: RenderingRequest) throws(RenderingError) -> Rendering {
            requests.withLock { $0.append(request) }
            return try result.get()
        }
    }

    /// 400 × 300: larger than the default thumbnail.
    private static let large: [UInt8] = {
        var jpeg = JPEGBuilder()
        jpeg.addJFIF()
        jpeg.addFrame(width: 400, height: 300)
        return jpeg.finished()
    }()

    private func serialize(
        _ content: [UInt8] = Self.large,
        type: String? = "image/jpeg",
        with renderer: (any ImageRenderer)? = nil,
        limits: Limits = Limits(),
        _ configure: (inout SerializationOptions) -> Void = { _ in }
    ) -> Serialized {
        var options = SerializationOptions()
        options.view = .value
        configure(&options)
        var response = UpstreamResponse(status: 200)
        if let type { response.fields.append(name: "Content-Type", value: type) }
        return SerializationSupport.serialize(
            response,
            content: content,
            options: options,
            limits: limits,
            reader: ImageContentReader(renderer: renderer ?? DeferringRenderer.shared)
        )
    }

    private static let facts = """
        {"format":"jpeg","mediaType":"image/jpeg","width":400,"height":300,"scale":1,"size":{"width":400,"height":300},\
        "color":{"model":"ycbcr","channels":3,"bitsPerChannel":8,"alpha":false,"subsampling":"4:2:0"},\
        "density":{"x":72,"y":72,"unit":"inch","source":"jfif"},\
        "coding":{"progressive":false,"scans":1,"restartInterval":0,"compression":"baseline"},"frames":1,
        """

    @Test(arguments: ["image/jpeg", nil, "application/octet-stream", "image/jpg", "text/plain"])
    func `facts without pixels need no renderer`(type: String?) {
        let result = serialize(type: type) { $0.thumbnails = [] }
        #expect(
            result.json
                == Self.facts + #""integrity":{"verdict":"unchecked","checked":"header"},"decoded":"header"}"#
        )
        #expect(result.warnings == [])
    }

    @Test func `an image that needs pixels is rejected completely by a reader that decodes none`() {
        #expect(serialize().chain == [.init(ImageError(.deferred))])
    }

    @Test func `the answer contains the results from the pixels`() throws {
        var rendering = Rendering(.scaled, integrity: ImageIntegrity(.complete, checked: .pixels))
        rendering.thumbnails = [.init(width: 2, height: 1, format: .webp, content: [1, 2, 3])]
        rendering.average = RGBA(red: 1, green: 0x20, blue: 255)
        rendering.palette = [RGBA(red: 0, green: 0, blue: 0, alpha: 128)]
        rendering.blurhash = "LEHV"
        rendering.thumbhash = [255]
        rendering.phash = 0xC3D4
        let renderer = Renderer(.success(rendering))
        let result = serialize(with: renderer) {
            $0.scale = 2
            $0.placeholders = [.average, .palette]
            $0.fingerprints = [.phash, .sha256]
        }
        let tail = """
            "integrity":{"verdict":"complete","checked":"pixels"},"decoded":"scaled","thumbnails":[{"width":2,\
            "height":1,"mediaType":"image/webp","bytes":3,"base64":"AQID"}],"placeholder":{"average":"#0120ff",\
            "palette":["#00000080"],"blurhash":"LEHV","thumbhash":"/w=="},\
            "fingerprint":{"phash":"000000000000c3d4","sha256":"
            """
        let json = try #require(result.json)
        #expect(json.contains(tail))
        #expect(json.contains(#""scale":2,"size":{"width":200,"height":150}"#))
        let request = try #require(renderer.requests.withLock { $0.first })
        var expected = RenderingRequest(.jpeg)
        expected.thumbnails = [ThumbnailRequest(width: 256, height: 256)]
        expected.placeholders = [.average, .palette]
        expected.phash = true
        #expect(request == expected)
    }

    @Test func `a caller that must not read images learns what is read, and a compound continues there`() throws {
        var options = SerializationOptions()
        let response = UpstreamResponse(status: 200)
        func pending() throws -> PendingImage? {
            let step = try ResponseSerializer(options: options).serializeAtOnce(response, content: Self.large.span)
            switch consume step {
            case .done: return nil
            case .image(let pending): return pending
            }
        }
        #expect(try pending()?.order == ImageOrder(.value, options, Limits()))
        options.serializer = .compound([.json, .image, .http])
        let image = try #require(try pending())
        // Nothing of the first component is left to do: with other content, it would return a value now.
        let answer = try ResponseSerializer(options: options).serialize(
            response,
            content: "[1]".utf8.span,
            after: image,
            reader: ImageContentReader(),
            memory: .unlimited
        )
        let serializer = answer.serializer
        #expect(serializer == .http)
    }

    @Test(
        arguments: [
            (.unsupported(feature: "JPEG 2000"), .unsupportedPixels(feature: "JPEG 2000"), nil, true),
            (.tooManyPixels(max: 5), .tooLargeToDecode(amount: "pixels", max: 5), nil, true),
            (.tooLongSide(max: 5), .tooLargeToDecode(amount: "pixels per side", max: 5), nil, true),
            (.truncated(byte: 7), .truncated, 7, false),
            (.corrupt(byte: 3, part: "SOS"), .corrupt(part: "SOS"), 3, false),
        ] as [(RenderingError, ImageError.Reason, Int?, Bool)]
    )
    func `a requested result that is unavailable is an error; the default thumbnail is omitted`(
        error: RenderingError,
        reason: ImageError.Reason,
        byte: Int?,
        mayBeLeftOut: Bool
    ) {
        let asked = serialize(with: Renderer(.failure(error))) {
            $0.thumbnails = [ThumbnailRequest(width: 9, height: 9)]
        }
        #expect(asked.chain == [.init(ImageError(reason, at: byte))])
        let unasked = serialize(with: Renderer(.failure(error)))
        #expect((unasked.json != nil) == mayBeLeftOut)
        #expect(unasked.chain == (mayBeLeftOut ? [] : asked.chain))
        if mayBeLeftOut { #expect(unasked.warnings == [Warning(.imageWithoutPixels(reason))]) }
    }

    @Test func `a truncated image is an error unless it is allowed`() {
        let cut = Array(PNGBuilder().finished().dropLast(5))
        let refused = serialize(cut, type: "image/png", with: PixelRenderer()) { $0.thumbnails = [] }
        #expect(refused.chain == [.init(ImageError(.truncated, at: cut.count))])
        let allowed = serialize(cut, type: "image/png") {
            $0.thumbnails = []
            $0.truncated = .allow
        }
        let integrity = #""integrity":{"verdict":"truncated","checked":"structure","at":{"byte":\#(cut.count)}}"#
        #expect(allowed.json?.contains(integrity) == true)
        #expect(allowed.warnings == [Warning(.imageDamaged(.truncated), at: SourceLocation(byte: cut.count))])
    }

    @Test func `damage that is allowed is one warning, also without the pixels`() {
        let cut = Array(PNGBuilder(width: 300, height: 300).finished().dropLast(5))
        func warnings(_ configure: (inout SerializationOptions) -> Void) -> [Warning] {
            serialize(cut, type: "image/png", with: Renderer(.failure(.truncated(byte: 40)))) {
                $0.truncated = .allow
                configure(&$0)
            }.warnings
        }
        let damage = Warning(.imageDamaged(.truncated), at: SourceLocation(byte: cut.count))
        #expect(warnings { $0.decode = .header } == [damage])
        #expect(
            warnings { $0.view = .value } == [Warning(.imageWithoutPixels(.truncated), at: SourceLocation(byte: 40))]
        )
        let integrity = ImageIntegrity(.corrupt, checked: .pixels, byte: 9, part: "IDAT")
        let result = serialize(cut, type: "image/png", with: Renderer(.success(Rendering(.full, integrity: integrity))))
        {
            $0.truncated = .allow
        }
        #expect(result.warnings == [Warning(.imageDamaged(.corrupt(part: "IDAT")), at: SourceLocation(byte: 9))])
    }

    @Test func `limits are checked before rendering`() {
        let renderer = Renderer(.failure(.deferred))
        var limits = Limits()
        limits.maxImageSide = 299
        let reason = ImageError.Reason.tooLargeToDecode(amount: "pixels per side", max: 299)
        let result = serialize(with: renderer, limits: limits)
        #expect(result.warnings == [Warning(.imageWithoutPixels(reason))])
        #expect(renderer.requests.withLock { $0 } == [])
    }

    @Test func `a colour profile that could not be used is a warning`() {
        var rendering = Rendering(.full, integrity: ImageIntegrity(.complete, checked: .pixels))
        rendering.ignoresProfile = true
        #expect(serialize(with: Renderer(.success(rendering))).warnings == [Warning(.imageProfile)])
    }

    @Test func `a wrong label is a warning`() {
        let result = serialize(type: "image/png") { $0.thumbnails = [] }
        #expect(result.warnings == [Warning(.imageTypeMismatch(declared: "image/png", actual: "image/jpeg"))])
    }

    @Test func `afnetworking decodes small images fully`() {
        let renderer = Renderer(.success(Rendering(.full, integrity: ImageIntegrity(.complete, checked: .pixels))))
        _ = serialize(with: renderer) {
            $0.rules = .afnetworking
            $0.serializer = .one(.image)
        }
        #expect(renderer.requests.withLock { $0.first?.decode } == .full)
    }

    @Test(arguments: [("image/png", "hello"), ("image/jpeg", #"{"a":1}"#)])
    func `content that is not an image is rejected`(type: String, content: String) {
        #expect(serialize(Array(content.utf8), type: type).chain == [.init(ImageError(.notAnImage, at: 0))])
    }

    /// With `outside`, the longer side of a picture is not limited by its box.
    @Test(
        arguments: [
            ("jpeg", 1, 1_000, 65, nil), ("jpeg", 1, 1_000, 66, 65_500), ("png", 1, 1_000, 65, nil),
            ("png", 1, 1_000, 66, 65_535), ("webp", 1, 1_000, 16, nil), ("webp", 1, 1_000, 17, 16_383),
            ("", 1, 1_000, 66, 65_500), ("png", 1_000, 1, 66, 65_535), ("webp", 1_000, 1, 17, 16_383),
        ] as [(String, Int, Int, Int, Int?)]
    )
    func `a thumbnail with a side that its format does not have is rejected before pixels are decoded`(
        format: String,
        width: Int,
        height: Int,
        side: Int,
        max: Int?
    ) throws {
        let picture = RGBAImage(width: width, height: height, filledWith: RGBA(red: 1, green: 2, blue: 3))
        let content = try PNGEncoder.encode(picture, isGrey: false, quality: 80)
        for fit in [ThumbnailFit.outside, .inside, .cover, .contain, .fill] {
            var thumbnail = ThumbnailRequest(width: width == 1 ? side : 1, height: width == 1 ? 1 : side)
            thumbnail.fit = fit
            thumbnail.enlarge = true
            thumbnail.format = ThumbnailFormat.allCases.first { "\($0)" == format }
            var options = SerializationOptions()
            options.thumbnails = [thumbnail]
            let result = SerializationSupport.serialize(
                UpstreamResponse(),
                content: content,
                options: options,
                reader: ImageContentReader()
            )
            let error = max.map {
                SerializationError(
                    ImageError(.tooLargeToDecode(amount: "pixels per side of a thumbnail", max: $0))
                )
            }
            #expect(result.chain == (fit == .outside ? error.map { [$0] } ?? [] : []))
        }
    }

    @Test func `more thumbnails and larger ones than allowed are an error`() {
        func serialize(_ thumbnails: [ThumbnailRequest]) -> Serialized {
            var options = SerializationOptions()
            options.thumbnails = thumbnails
            return SerializationSupport.serialize(
                UpstreamResponse(),
                content: SmallJPEG.baseline.content,
                options: options,
                reader: ImageContentReader()
            )
        }
        let small = ThumbnailRequest(width: 8, height: 8)
        #expect(serialize(Array(repeating: small, count: 8)).json != nil)
        #expect(
            serialize(Array(repeating: small, count: 9)).chain
                == [.init(ImageError(.tooLargeToDecode(amount: "thumbnails", max: 8)))]
        )
        #expect(serialize([ThumbnailRequest(width: 2048, height: 1)]).json != nil)
        #expect(
            serialize([ThumbnailRequest(width: 1, height: 2049)]).chain
                == [.init(ImageError(.tooLargeToDecode(amount: "pixels per side of a thumbnail", max: 2048)))]
        )
    }

    /// Makes thumbnails whose content is their width, unless there are more than permitted.
    private final class Recorder: ImageRenderer {
        let maxThumbnails: Int
        private let state = Mutex([[Int]]())

        init(maxThumbnails: Int) {
            self.maxThumbnails = maxThumbnails
        }

        /// The widths of the thumbnails of each request.
        var widths: [[Int]] { state.withLock { $0 } }

        func render(_ content: Span<UInt8>, _ request: RenderingRequest) throws(RenderingError) -> Rendering {
            state.withLock { $0.append(request.thumbnails.map(\.width)) }
            guard request.thumbnails.count <= maxThumbnails else { throw .tooLarge(bytes: 2, max: 1) }
            var rendering = Rendering(.full, integrity: ImageIntegrity(.complete, checked: .pixels))
            rendering.thumbnails = request.thumbnails.map {
                ImageRecord.Thumbnail(width: $0.width, height: $0.height, format: .jpeg, content: [UInt8($0.width)])
            }
            return rendering
        }
    }

    @Test(arguments: [(8, [[1, 2, 3]]), (2, [[1, 2, 3], [1], [2], [3]])] as [(Int, [[Int]])])
    func `orders that differ only in thumbnails share one decode, and are executed alone if it fails`(
        max: Int,
        widths: [[Int]]
    ) {
        let recorder = Recorder(maxThumbnails: max)
        let orders = [1, 2, 3].map { width in
            var options = SerializationOptions()
            options.thumbnails = [ThumbnailRequest(width: width, height: 1)]
            return ImageOrder(.thumbnail, options, Limits())
        }
        let results = ImageContentReader(renderer: recorder).read(Self.large.span, orders)
        #expect(recorder.widths == widths)
        #expect(results.compactMap { try? $0.get().thumbnails.first?.content } == [[1], [2], [3]])
    }

    @Test func `orders that differ in anything else are decoded alone`() {
        let recorder = Recorder(maxThumbnails: 8)
        var orders = [1, 2].map { width in
            var options = SerializationOptions()
            options.thumbnails = [ThumbnailRequest(width: width, height: 1)]
            return ImageOrder(.thumbnail, options, Limits())
        }
        orders[1].truncated = .allow
        _ = ImageContentReader(renderer: recorder).read(Self.large.span, orders)
        #expect(recorder.widths == [[1], [2]])
    }

    /// Every byte of these texts has six in JSON.
    @Test(arguments: [(1_390_000, true), (1_410_000, false)])
    func `facts of more than 8 MiB are rejected`(bytes: Int, isRead: Bool) throws {
        var png = PNGBuilder()
        png.add("tEXt", .ascii("a\0") + [UInt8](repeating: 1, count: bytes))
        var options = SerializationOptions()
        options.decode = .header
        let results = ImageContentReader().read(png.finished().span, [ImageOrder(.value, options, Limits())])
        switch results[0] {
        case .success(let record): #expect(isRead && record.json.count > 6 * bytes)
        case .failure(let rejection):
            let reason = ImageError.Reason.tooLargeToDecode(amount: "bytes of results", max: 8 << 20)
            #expect(!isRead && rejection.error == ImageError(reason))
        }
    }
}
