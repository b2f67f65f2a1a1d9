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
            if let tokenName = record.request.tokenName {
                line.put(" token=")
                line.put(plain: tokenName)
            }
            if let problem = record.response.problem {
                line.put(" code=")
                line.put(plain: problem.rawValue)
            }
            if let serializer = record.response.serializer {
                line.put(" serializer=")
                line.put(plain: serializer.rawValue)
            }
            line.put(" lane=")
            line.put(record.response.lane.name)
            line.put(" in=")
            line.put(record.receivedBytes)
            line.put(" out=")
            line.put(record.response.sentBytes)
            put(record.durations, in: &line)
            line.put(" end=")
            line.put(record.end.name)
            line.put(" request=")
        }
        switch record.request.id {
        case .made(let high, let low):
            buffer.write(maxBytes: maxPieceBytes) { line in
                line.put(hexadecimal: high)
                line.put(hexadecimal: low)
            }
        case .given(let text):
            buffer.append(visible: text, maxBytes: maxRequestIDBytes)
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

    private static func put(_ durations: StageDurations, in line: inout LineCursor) {
        let stages: [6 of (name: StaticString, nanoseconds: UInt64)] = [
            (" receive=", durations.receiving),
            (" computeQueue=", durations.waitingForCompute),
            (" workerQueue=", durations.waitingForWorker),
            (" fetch=", durations.fetching),
            (" decode=", durations.decoding),
            (" send=", durations.sending),
        ]
        for index in stages.indices where stages[index].nanoseconds > 0 {
            line.put(stages[index].name)
            line.put(milliseconds: stages[index].nanoseconds)
            line.put("ms")
        }
        line.put(" total=")
        line.put(milliseconds: durations.total)
        line.put("ms")
    }
}
