internal import Serialization

/// A palette. The colours are split into boxes, each time the box with the largest variance. The means of the boxes are
/// then moved to the means of the colours around them (median cut, then k-means).
struct ColorPalette {
    /// The colours, the most frequent first.
    private(set) var colors: [RGBA] = []

    /// The maximum number of colours.
    static let maxColors = 6

    /// A colour and the number of its pixels.
    private struct Entry {
        var channels: SIMD4<Int>
        var count: Int
    }

    /// The maximum number of k-means rounds. It usually converges earlier.
    private static let maxRounds = 8

    init(of sample: RGBAImage) {
        let entries = Self.entries(of: sample)
        guard !entries.isEmpty else { return }
        colors = Self.settle(Self.cut(entries), entries)
    }

    private static func entries(of sample: RGBAImage) -> [Entry] {
        var counts: [RGBA: Int] = [:]
        for index in 0..<sample.pixelCount where sample[index].alpha >= 128 {
            var color = sample[index]
            color.alpha = 255
            counts[color, default: 0] += 1
        }
        let entries = counts.map { color, count in
            Entry(channels: SIMD4(Int(color.red), Int(color.green), Int(color.blue), 0), count: count)
        }
        // A dictionary has no order.
        return entries.sorted { precedes($0.channels, $1.channels) }
    }

    /// Returns the means of the boxes.
    private static func cut(_ entries: [Entry]) -> [SIMD4<Int>] {
        var boxes = [Box(entries)]
        while boxes.count < maxColors {
            var widest = 0
            for index in boxes.indices where boxes[index].spread > boxes[widest].spread { widest = index }
            guard let (low, high) = boxes[widest].halves() else { break }
            boxes[widest] = low
            boxes.append(high)
        }
        return boxes.map(\.mean)
    }

    private static func settle(_ centers: [SIMD4<Int>], _ entries: [Entry]) -> [RGBA] {
        var centers = centers
        var members: [[Entry]] = []
        for _ in 0..<maxRounds {
            members = Array(repeating: [], count: centers.count)
            for entry in entries {
                var nearest = 0
                var least = Int.max
                for index in centers.indices {
                    let distance = entry.channels.squaredDistance(to: centers[index])
                    if distance < least { (nearest, least) = (index, distance) }
                }
                members[nearest].append(entry)
            }
            members.removeAll(where: \.isEmpty)
            let moved = members.map { Box($0).mean }
            if moved == centers { break }
            centers = moved
        }
        let found = zip(centers, members).map { center, entries in
            Entry(channels: center, count: entries.reduce(0) { $0 + $1.count })
        }
        let sorted = found.sorted { first, second in
            first.count != second.count ? first.count > second.count : precedes(first.channels, second.channels)
        }
        return sorted.map { entry in
            RGBA(red: UInt8(entry.channels.x), green: UInt8(entry.channels.y), blue: UInt8(entry.channels.z))
        }
    }

    private static func precedes(_ first: SIMD4<Int>, _ second: SIMD4<Int>) -> Bool {
        (first.x, first.y, first.z) < (second.x, second.y, second.z)
    }

    /// A set of colours.
    private struct Box {
        private let entries: [Entry]
        let mean: SIMD4<Int>
        /// The sum of the squared distances from the mean, by channel.
        private let spreads: SIMD4<Int>

        init(_ entries: [Entry]) {
            var count = 0
            var sums = SIMD4<Int>()
            for entry in entries {
                count += entry.count
                sums = sums &+ entry.channels &* entry.count
            }
            let mean = (sums &+ count / 2) / count
            var spreads = SIMD4<Int>()
            for entry in entries {
                let difference = entry.channels &- mean
                spreads = spreads &+ difference &* difference &* entry.count
            }
            self.entries = entries
            self.mean = mean
            self.spreads = spreads
        }

        var spread: Int { spreads.wrappedSum() }

        /// Splits the box at the mean of the channel with the largest variance. Returns `nil` if there is only one
        /// colour.
        func halves() -> (Box, Box)? {
            guard entries.count > 1 else { return nil }
            var channel = 0
            for index in 1..<3 where spreads[index] > spreads[channel] { channel = index }
            var low = entries.filter { $0.channels[channel] <= mean[channel] }
            var high = entries.filter { $0.channels[channel] > mean[channel] }
            // The mean is rounded, up to the maximum if almost all colours have that value.
            if high.isEmpty {
                high = low.filter { $0.channels[channel] == mean[channel] }
                low.removeAll { $0.channels[channel] == mean[channel] }
            }
            guard !low.isEmpty, !high.isEmpty else { return nil }
            return (Box(low), Box(high))
        }
    }
}

extension SIMD4<Int> {
    fileprivate func squaredDistance(to other: SIMD4<Int>) -> Int {
        let difference = self &- other
        return (difference &* difference).wrappedSum()
    }
}
