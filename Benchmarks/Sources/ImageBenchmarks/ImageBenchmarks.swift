import Foundation
import Images
import Serialization

// Measures the processor time and the memory of one rendering.
//
//   ImageBenchmarks FILE jpeg|png SIDES SUMMARY SECONDS [OUTPUT]
//
// SIDES are the sides of the boxes of the thumbnails, for example `720,360,100`, or `-` for none. Each may have a
// format: `720:png`. SUMMARY is `none`, or `summary` for BlurHash and the perceptual hash. Prints the best processor
// time of one rendering in milliseconds, and the memory that the first rendering added to the peak of this process, in
// KiB. The first thumbnail is written to OUTPUT.
//
//   ImageBenchmarks FILE jpeg|png - facts SECONDS
//
// Measures the response of `serializer=image` without pixels. Prints the best processor time in milliseconds, and the
// length of the response in bytes.

@main struct ImageBenchmarks {
    static func main() throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count >= 5, let format = ImageFormat(rawValue: arguments[1]), let seconds = Double(arguments[4])
        else { throw UsageError() }
        let content = try [UInt8](Data(contentsOf: URL(filePath: arguments[0])))
        if arguments[3] == "facts" { return try measureFacts(content, format, seconds) }
        var request = RenderingRequest(format)
        request.maxPixels = 1 << 30
        request.thumbnails = arguments[2] == "-" ? [] : arguments[2].split(separator: ",").map(thumbnail)
        if arguments[3] == "summary" {
            request.placeholders = .blurhash
            request.phash = true
        }

        // Excludes the peak that reading the file has caused.
        try Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs"), options: [])
        let before = peakKiB()
        let first = try PixelRenderer().render(content.span, request)
        let extra = peakKiB() - before
        if arguments.count > 5, let thumbnail = first.thumbnails.first {
            try Data(thumbnail.content).write(to: URL(filePath: arguments[5]))
        }
        var best = Double.infinity
        let end = processorMilliseconds() + 1000 * seconds
        repeat {
            let start = processorMilliseconds()
            _ = try PixelRenderer().render(content.span, request)
            best = min(best, processorMilliseconds() - start)
        } while processorMilliseconds() < end
        print(best, extra)
    }

    private static func measureFacts(_ content: [UInt8], _ format: ImageFormat, _ seconds: Double) throws {
        var options = SerializationOptions()
        options.decode = .header
        options.thumbnails = []
        let serializer = ResponseSerializer(options: options, reader: ImageContentReader())
        var response = UpstreamResponse(status: 200)
        response.fields.append(name: "Content-Type", value: "image/\(format)")
        var length = 0
        var best = Double.infinity
        let end = processorMilliseconds() + 1000 * seconds
        repeat {
            // Several passes are measured together, because reading the clock takes time, too.
            let count = 20
            let start = processorMilliseconds()
            for _ in 0..<count {
                length = try serializer.serialize(response, content: content.span, memory: .unlimited).json.count
            }
            best = min(best, (processorMilliseconds() - start) / Double(count))
        } while processorMilliseconds() < end
        print(best, length)
    }

    private static func thumbnail(_ text: Substring) -> ThumbnailRequest {
        let parts = text.split(separator: ":")
        let side = Int(parts[0]) ?? 1
        var thumbnail = ThumbnailRequest(width: side, height: side)
        if parts.count > 1 { thumbnail.format = ThumbnailFormat(rawValue: String(parts[1])) }
        return thumbnail
    }

    private static func processorMilliseconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
    }

    private static func peakKiB() -> Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
    }

    struct UsageError: Error {}
}
