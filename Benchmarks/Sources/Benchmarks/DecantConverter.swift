import Foundation
import Serialization

/// Decant through its public API: validates, decodes, and writes a response that contains only the value.
struct DecantConverter: Converter {
    let name = "decant"
    private let contents: [URL: [UInt8]]
    private let documents: [URL: [Range<Int>]]
    init(_ files: [BenchmarkFile]) throws {
        var contents: [URL: [UInt8]] = [:]
        var documents: [URL: [Range<Int>]] = [:]
        for file in files {
            let bytes = try [UInt8](Data(contentsOf: file.url))
            contents[file.url] = bytes
            documents[file.url] = file.documents(in: bytes)
        }
        self.contents = contents
        self.documents = documents
    }

    func measure(_ file: BenchmarkFile, seconds: Double) -> Sample? {
        let work = work(on: file)
        return .measuring(seconds: seconds) { _ = work.run() }
    }

    /// - Returns: the number of bytes that were written.
    @discardableResult
    func normalizeOnce(_ file: BenchmarkFile) -> Int {
        work(on: file).run()
    }

    /// Returns the normalized text of a file that is one document.
    func normalized(_ file: BenchmarkFile) -> [UInt8] {
        work(on: file).text()
    }

    private func work(on file: BenchmarkFile) -> Work {
        var options = SerializationOptions()
        options.serializer =
            switch file.format {
            case .json: .one(.json)
            case .xml: .one(.xml)
            case .plist: .one(.plist)
            }
        options.view = .value
        options.nulls = file.dropsNulls ? .drop : .keep
        return Work(
            serializer: ResponseSerializer(options: options),
            response: UpstreamResponse(
                fields: HeaderFields([HeaderFields.Field(name: "Content-Type", value: file.format.mediaType)])
            ),
            bytes: contents[file.url] ?? [],
            documents: documents[file.url] ?? []
        )
    }

    private struct Work {
        let serializer: ResponseSerializer
        let response: UpstreamResponse
        let bytes: [UInt8]
        let documents: [Range<Int>]

        func run() -> Int {
            var written = 0
            for document in documents {
                do throws(SerializationFailure) {
                    let answer = try serializer.serialize(
                        response,
                        content: bytes.span.extracting(document),
                        memory: .unlimited
                    )
                    written += answer.takeJSON().count
                } catch {
                    fatalError("refused: \(error)")
                }
            }
            return written
        }

        func text() -> [UInt8] {
            do throws(SerializationFailure) {
                let answer = try serializer.serialize(response, content: bytes.span, memory: .unlimited)
                return Array(answer.takeJSON())
            } catch {
                fatalError("refused: \(error)")
            }
        }
    }
}
