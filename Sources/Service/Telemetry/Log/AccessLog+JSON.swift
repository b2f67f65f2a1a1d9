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
            guard case .made(let high, let low) = record.requestID else { return }
            line.put(hexadecimal: high)
            line.put(hexadecimal: low)
        }
        if case .given(let text) = record.requestID { buffer.append(escaping: text, maxBytes: maxRequestIDBytes) }
        buffer.write(maxBytes: maxPieceBytes) { line in
            if let trace = record.trace {
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
        buffer.append(escaping: record.method, maxBytes: maxMethodBytes)
        buffer.write(maxBytes: maxPieceBytes) { line in line.put("\",\"path\":\"") }
        buffer.append(escaping: record.path, maxBytes: maxPathBytes)
        buffer.write(maxBytes: maxPieceBytes) { line in
            line.put("\",\"endpoint\":\"")
            line.put(record.endpoint.name)
            line.put("\",")
            if let tokenName = record.tokenName {
                line.put("\"token\":\"")
                line.put(plain: tokenName)
                line.put("\",")
            }
            if let status = record.status {
                line.put("\"status\":")
                line.put(status)
                line.put(",")
            }
            if let problem = record.problem {
                line.put("\"code\":\"")
                line.put(plain: problem.rawValue)
                line.put("\",")
            }
            if let serializer = record.serializer {
                line.put("\"serializer\":\"")
                line.put(plain: serializer.rawValue)
                line.put("\",")
            }
            line.put("\"lane\":\"")
            line.put(record.lane.name)
            line.put("\",\"bytesIn\":")
            line.put(record.receivedBytes)
            line.put(",\"bytesOut\":")
            line.put(record.sentBytes)
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
