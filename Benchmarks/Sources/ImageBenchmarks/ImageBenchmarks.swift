import Foundation
import Serialization

// What one rendering costs in processor time and memory.
//
//   ImageBenchmarks FILE jpeg|png SIDES SUMMARY SECONDS [OUTPUT]
//
// SIDES are those of the thumbnails' boxes, `720,360,100`, or `-`; each may have a format, `720:png`. SUMMARY is `none`,
// or `summary` for BlurHash and the perceptual hash. Prints the best processor time of one rendering in milliseconds,
// and what the first added to the memory of this process at its peak, in KiB. OUTPUT gets the first thumbnail.
//
//   ImageBenchmarks FILE jpeg|png - facts SECONDS
//
// The answer of `serializer=image` without pixels. Prints its best processor time in milliseconds, and its length.

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

        // What reading the file took is over: the peak is that of now.
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
        let serializer = ResponseSerializer(options: options)
        var response = UpstreamResponse(status: 200)
        response.fields.append(name: "Content-Type", value: "image/\(format)")
        var length = 0
        var best = Double.infinity
        let end = processorMilliseconds() + 1000 * seconds
        repeat {
            // Several at a time, because asking for the time takes some itself.
            let count = 20
            let start = processorMilliseconds()
            for _ in 0..<count { length = try serializer.serialize(response, content: content.span).json.count }
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
