import Foundation
import Serialization

/// Measures the processor time of the serializer alone for the contents of envelopes, so that the cost of
/// `decant batch` around it is known:
///
///     BatchProbe input.ndjson
///
/// The envelopes have the members `headers`, an object, and `body.text`. They are read before the measurement.
@main enum BatchProbe {
    private struct Item: Decodable {
        struct Body: Decodable { var text: String }

        var headers: [String: String]
        var body: Body
    }

    static func main() throws {
        guard let path = CommandLine.arguments.dropFirst().first else {
            return print("usage: BatchProbe input.ndjson")
        }
        let text = try Data(contentsOf: URL(filePath: path))
        let decoder = JSONDecoder()
        let items = try text.split(separator: UInt8(ascii: "\n")).map { line in
            let item = try decoder.decode(Item.self, from: line)
            var response = UpstreamResponse(status: 200)
            for (name, value) in item.headers { response.fields.append(name: name, value: value) }
            response.hasAllFields = true
            response.hasUnicodeContent = true
            return (response: response, content: Array(item.body.text.utf8))
        }
        let serializer = ResponseSerializer()
        var bytes = 0
        let start = processorSeconds()
        for (response, content) in items {
            do {
                let json = try serializer.serialize(response, content: content.span, memory: .unlimited).takeJSON()
                bytes += json.count
            } catch {
                print("an item is rejected: \(error)")
            }
        }
        print("\(items.count) items, \(bytes) bytes of results, \(processorSeconds() - start) s")
    }

    private static func processorSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
