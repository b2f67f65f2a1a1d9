internal import HTTP
internal import Serialization

extension AccessLog {
    static func appendText(
        _ record: borrowing RequestRecord,
        _ time: (UInt64, UInt64, UInt64),
        to buffer: inout OutputBuffer
    ) {
        buffer.write(maxBytes: maxPieceBytes) { line in
            line.put(time)
            line.put(" info request ")
        }
        buffer.append(visible: record.request.method, maxBytes: maxMethodBytes)
        buffer.append(UInt8(ascii: " "))
        buffer.append(visible: record.request.path, maxBytes: maxPathBytes)
        buffer.write(maxBytes: maxPieceBytes) { line in
            line.put(" ")
            if let status = record.response.status { line.put(status) } else { line.put("-") }
            line.put(" endpoint=")
            line.put(record.request.endpoint.name)
            line.put(" token=", plain: record.request.tokenName)
            line.put(" code=", plain: record.response.problem?.rawValue)
            line.put(" serializer=", plain: record.response.serializer?.rawValue)
            line.put(" lane=")
            line.put(record.response.lane.name)
            line.put(" in=")
            line.put(record.receivedBytes)
            line.put(" out=")
            line.put(record.response.sentBytes)
            record.durations.forEachStage { _, name, nanoseconds in
                line.put(name)
                line.put(milliseconds: nanoseconds)
                line.put("ms")
            }
            line.put(" total=")
            line.put(milliseconds: record.durations.total)
            line.put("ms end=")
            line.put(record.end.name)
            line.put(" request=")
        }
        switch record.request.id {
        case .made(let high, let low):
            buffer.write(maxBytes: maxPieceBytes) { line in
                line.put(hexadecimal: high)
                line.put(hexadecimal: low)
            }
        case .given(let text): buffer.append(visible: text, maxBytes: maxRequestIDBytes)
        }
        buffer.write(maxBytes: maxPieceBytes) { line in
            if let trace = record.request.trace {
                line.put(" trace=")
                line.put(hexadecimal: trace.traceID.high)
                line.put(hexadecimal: trace.traceID.low)
                line.put(" parent=")
                line.put(hexadecimal: trace.parentID)
                line.put(" span=")
                line.put(hexadecimal: trace.spanID)
            }
            line.put("\n")
        }
    }
}
