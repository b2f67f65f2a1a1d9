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
            line.put("\"token\":\"", plain: record.request.tokenName, "\",")
            if let status = record.response.status {
                line.put("\"status\":")
                line.put(status)
                line.put(",")
            }
            line.put("\"code\":\"", plain: record.response.problem?.rawValue, "\",")
            line.put("\"serializer\":\"", plain: record.response.serializer?.rawValue, "\",")
            line.put("\"lane\":\"")
            line.put(record.response.lane.name)
            line.put("\",\"bytesIn\":")
            line.put(record.receivedBytes)
            line.put(",\"bytesOut\":")
            line.put(record.response.sentBytes)
            line.put(",\"durations\":{")
            record.durations.forEachStage { name, _, nanoseconds in
                line.put(name)
                line.put(milliseconds: nanoseconds)
                line.put(",")
            }
            line.put("\"total\":")
            line.put(milliseconds: record.durations.total)
            line.put("},\"end\":\"")
            line.put(record.end.name)
            line.put("\"}\n")
        }
    }
}
