/// The requests in the bytes of one connection, as RFC 9112 and the service's own rules define them.
///
/// This model is slow and obvious: it has all bytes from the start, and reads them once, from front to back. It shares
/// no code with the service's parser, which receives the same bytes in pieces and must come to the same result.
///
/// Ambiguities, and how the model resolves them:
///
/// - The stream ends cleanly if nothing but pairs of CR and LF follows the last request. A lone CR begins a request
///   line.
/// - `Expect: 100-continue` counts even if another `Expect` follows it.
/// - The minor version is 0 or 1: a version from 1.1 to 1.9 is 1.1 (RFC 9110 §2.5).
package struct ModelRequestStream: Equatable, Sendable {
    /// The complete requests, in order.
    package var requests: [ModelRequest] = []

    /// The request whose head is complete and whose content is not, with the content until the end or the fault.
    package var unfinished: ModelRequest?

    package var end = End.clean

    package init() {}

    /// The end of a stream.
    package enum End: Equatable, Sendable {
        /// Between two requests.
        case clean
        /// Within a head or content.
        case incomplete
        /// After a request that is not persistent. The rest is not read.
        case closed
        /// With bytes that are not a request. The rest is not read.
        case fault(ModelFault)
    }
}

/// One request of a stream.
package struct ModelRequest: Equatable, Sendable {
    package var method: [UInt8] = []
    /// The target as it was sent.
    package var target: [UInt8] = []
    package var path: [UInt8] = []
    /// The bytes after the first `?`; `nil` if there is none.
    package var query: [UInt8]?
    package var minorVersion = 1
    package var fields: [Field] = []
    package var declaredContentBytes: Int?
    package var isChunked = false
    package var content: [UInt8] = []
    package var isPersistent = true
    package var awaitsContinue = false

    package init() {}

    package struct Field: Equatable, Sendable {
        package var name: [UInt8]
        /// The value without surrounding white space.
        package var value: [UInt8]

        package init(name: [UInt8], value: [UInt8]) {
            self.name = name
            self.value = value
        }
    }
}

/// The reason for a rejection. The cases and their values are those of the service's own error.
package enum ModelFault: Error, Equatable {
    case irregularRequestLine
    case invalidMethod
    case unsupportedVersion
    case invalidTarget(offset: Int)
    case targetTooLong
    case headTooLarge
    case irregularFieldLine(index: Int)
    case whitespaceBeforeColon(name: [UInt8])
    case invalidFieldName(index: Int)
    case invalidFieldValue(name: [UInt8], byte: UInt8)
    case missingHost
    case repeatedHost
    case invalidHost
    case invalidContentLength
    case repeatedContentLength
    case contentLengthWithTransferEncoding
    case unsupportedTransferEncoding([UInt8])
    case transferEncodingInHTTP10
    case malformedChunk
    case chunkOverheadTooLarge
}

extension ModelRequestStream {
    /// Reads a complete stream.
    package init(reading bytes: [UInt8]) {
        var reader = ModelRequestReader(bytes: bytes)
        do throws(ModelRequestReader.Stop) {
            while try reader.skipEmptyLines() {
                var request = try reader.head()
                if let stop = reader.readContent(of: &request) {
                    unfinished = request
                    throw stop
                }
                requests.append(request)
                if !request.isPersistent {
                    end = .closed
                    break
                }
            }
        } catch {
            switch error {
            case .incomplete: end = .incomplete
            case .fault(let fault): end = .fault(fault)
            }
        }
    }
}
