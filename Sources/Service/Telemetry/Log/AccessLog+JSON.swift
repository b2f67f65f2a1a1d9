internal import HTTP
internal import Serialization

extension AccessLog {
    static func appendJSON(
        _ record: borrowing RequestRecord,
        _ time: (UInt64, UInt64, UInt64),
        to buffer: inout OutputBuffer
    ) {
        buffer.write(maxBytes: maxPieceBytes) { line in
            line.put("{\"time\":\"")
            line.put(time)
            line.put("\",\"level\":\"info\",\"message\":\"request\",\"request\":\"")
            guard case .made(let high, let low) = record.request.id else { return }
            line.put(hexadecimal: high)
            line.put(hexadecimal: low)
        }
        if case .given(let text) = record.request.id { buffer.append(escaping: text, maxBytes: maxRequestIDBytes) }
        buffer.write(maxBytes: maxPieceBytes) { line in
            if let trace = record.request.trace {
                line.put("\",\"trace\":\"")
                line.put(hexadecimal: trace.traceID.high)
                line.put(hexadecimal: trace.traceID.low)
                line.put("\",\"parent\":\"")
                line.put(hexadecimal: trace.parentID)
                line.put("\",\"span\":\"")
                line.put(hexadecimal: trace.spanID)
            }
            line.put("\",\"method\":\"")
        }
        buffer.append(escaping: record.request.method, maxBytes: maxMethodBytes)
        buffer.write(maxBytes: maxPieceBytes) { line in line.put("\",\"path\":\"") }
        buffer.append(escaping: record.request.path, maxBytes: maxPathBytes)
        buffer.write(maxBytes: maxPieceBytes) { line in
            line.put("\",\"endpoint\":\"")
            line.put(record.request.endpoint.name)
            line.put("\",")
            if let tokenName = record.request.tokenName {
                line.put("\"token\":\"")
                line.put(plain: tokenName)
                line.put("\",")
            }
            if let status = record.response.status {
                line.put("\"status\":")
                line.put(status)
                line.put(",")
            }
            if let problem = record.response.problem {
                line.put("\"code\":\"")
                line.put(plain: problem.rawValue)
                line.put("\",")
            }
            if let serializer = record.response.serializer {
                line.put("\"serializer\":\"")
                line.put(plain: serializer.rawValue)
                line.put("\",")
            }
            line.put("\"lane\":\"")
            line.put(record.response.lane.name)
            line.put("\",\"bytesIn\":")
            line.put(record.receivedBytes)
            line.put(",\"bytesOut\":")
            line.put(record.response.sentBytes)
            line.put(",\"durations\":{")
            put(record.durations, in: &line)
            line.put("},\"end\":\"")
            line.put(record.end.name)
            line.put("\"}\n")
        }
    }

    @inline(__always) private static func put(_ durations: StageDurations, in line: inout LineCursor) {
        if durations.receiving > 0 {
            line.put("\"receive\":")
            line.put(milliseconds: durations.receiving)
            line.put(",")
        }
        if durations.waitingForCompute > 0 {
            line.put("\"computeQueue\":")
            line.put(milliseconds: durations.waitingForCompute)
            line.put(",")
        }
        if durations.waitingForWorker > 0 {
            line.put("\"workerQueue\":")
            line.put(milliseconds: durations.waitingForWorker)
            line.put(",")
        }
        if durations.fetching > 0 {
            line.put("\"fetch\":")
            line.put(milliseconds: durations.fetching)
            line.put(",")
        }
        if durations.decoding > 0 {
            line.put("\"decode\":")
            line.put(milliseconds: durations.decoding)
            line.put(",")
        }
        if durations.sending > 0 {
            line.put("\"send\":")
            line.put(milliseconds: durations.sending)
            line.put(",")
        }
        line.put("\"total\":")
        line.put(milliseconds: durations.total)
    }
}
