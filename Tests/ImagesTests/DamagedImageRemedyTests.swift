import SerializationSupport
import Testing

@testable import Images
@testable import Serialization

/// `truncated=allow` is only proposed if it returns everything that the caller requested.
@Suite struct DamagedImageRemedyTests {
    private static let images: [[UInt8]] = {
        var picture = RGBAImage(width: 24, height: 16, filledWith: RGBA(red: 1, green: 2, blue: 3))
        for index in 0..<24 * 16 { picture.pixels[4 * index] = UInt8(truncatingIfNeeded: index &* index) }
        let encoders: [any ThumbnailEncoder.Type] = [PNGEncoder.self, WebPEncoder.self, JPEGEncoder.self]
        var images = encoders.compactMap { try? $0.encode(picture, isGrey: false, quality: 80) }
        images.append(SmallJPEG.progressive.content)
        var gif = GIFBuilder(8, 8, colors: [[0, 0, 0], [255, 255, 255]])
        for _ in 0..<2 { gif.frame(0, 0, 8, 8, (0..<64).map { $0 % 3 == 0 ? 1 : 0 }) }
        images.append(gif.content)
        let rows = (0..<12).map { row in [UInt8](repeating: UInt8(20 * row), count: 12) }
        images.append(TIFFBuilder(tags: [256: [12], 257: [12], 258: [8], 262: [1], 278: [1]], data: rows).content)
        let head: [UInt8] = .little32(40) + .little32(5) + .little32(5) + .little16(1) + .little16(24)
        let bitmap = head + [UInt8](repeating: 0, count: 24) + [UInt8](repeating: 77, count: 5 * 16)
        images.append(.ascii("BM") + .little32(14 + bitmap.count) + .little32(0) + .little32(54) + bitmap)
        let icon = [UInt8].little32(40) + .little32(5) + .little32(10) + .little16(1) + .little16(24)
        let picture2 = icon + [UInt8](repeating: 0, count: 24) + [UInt8](repeating: 77, count: 5 * 16 + 5 * 4)
        let size = [UInt8].little16(1) + .little16(24) + .little32(picture2.count) + .little32(22)
        let entry: [UInt8] = [5, 5, 0, 0] + size
        images.append([0, 0, 1, 0, 1, 0] + entry + picture2)
        return images
    }()

    private func outcome(
        of content: [UInt8],
        _ options: SerializationOptions
    ) -> (isAccepted: Bool, proposes: Bool) {
        let serializer = ResponseSerializer(options: options, reader: ImageContentReader())
        do {
            _ = try serializer.serialize(UpstreamResponse(), content: content.span)
            return (true, false)
        } catch {
            let remedy = serializer.remedy(for: error, UpstreamResponse(), content: content.span)
            return (false, remedy == .truncated)
        }
    }

    @Test(arguments: [(200, Remedy.noThumbnail as Remedy?), (404, nil)])
    func `facts without pixels are only proposed if nothing else is rejected`(status: Int, remedy: Remedy?) throws {
        var options = SerializationOptions()
        options.serializer = .one(.image)
        options.thumbnails = [ThumbnailRequest(width: 4, height: 4)]
        let serializer = ResponseSerializer(options: options, reader: ImageContentReader())
        let content = Array("<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>".utf8)
        let response = UpstreamResponse(status: status)
        do {
            _ = try serializer.serialize(response, content: content.span)
            Issue.record("accepted")
        } catch {
            #expect(serializer.remedy(for: error, response, content: content.span) == remedy)
        }
    }

    @Test(arguments: ["thumbnail", "phash", "full", "header", "default"])
    func `truncated=allow is proposed if and only if it returns what is requested`(request: String) {
        var options = SerializationOptions()
        options.serializer = .one(.image)
        options.view = .value
        switch request {
        case "thumbnail": options.thumbnails = [ThumbnailRequest(width: 4, height: 4)]
        case "phash": options.fingerprints = .phash
        case "full": options.decode = .full
        case "header": options.thumbnails = []
        default: break
        }
        var allowing = options
        allowing.truncated = .allow
        var (useful, useless) = (0, 0)
        for image in Self.images {
            for count in 1..<image.count {
                let content = Array(image[..<count])
                let found = outcome(of: content, options)
                if found.isAccepted { continue }
                let helps = outcome(of: content, allowing).isAccepted
                #expect(found.proposes == helps, "\(image[..<4]) up to \(count)")
                if helps { useful += 1 } else { useless += 1 }
            }
        }
        #expect(useful > 100 && useless > 100)
    }

    @Test(arguments: [200, 404])
    func `truncated=allow is proposed for facts, unless the response is rejected for another reason, too`(
        status: Int
    ) throws {
        let cut = Array(PNGBuilder().finished().dropLast(20))
        let serializer = ResponseSerializer(reader: ImageContentReader())
        do {
            _ = try serializer.serialize(UpstreamResponse(status: status), content: cut.span)
            Issue.record("accepted")
        } catch {
            let remedy = serializer.remedy(for: error, UpstreamResponse(status: status), content: cut.span)
            #expect(remedy == (status == 200 ? .truncated : nil))
        }
    }
}
