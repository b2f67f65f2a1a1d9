/// The structure of a binary property list of similar objects.
struct BinaryPropertyListShape {
    enum Object: CaseIterable {
        case integer, real, date, data, uid, ascii, utf16, null, emptyArray, emptyDictionary, oneMember, pair
    }

    var object: Object
    /// Keys of dictionaries instead of elements of arrays: all different, or a single one.
    var container: Container
    enum Container: CaseIterable {
        case array, uniqueKeys, sharedKeys, equalKeys, sharedElements, unreached
    }

    var isArchive: Bool

    init(_ choices: inout Choices) {
        object = choices.pick(Object.allCases)
        container = choices.pick(Container.allCases)
        isArchive = choices.pick([false, false, true])
    }

    private static let maxObjects = 4 << 20
    private static let maxMembers = 1_000_000

    func content(bytes: Int) -> [UInt8] {
        var size = 1 << 10
        var content = make(size, referenceBytes: 4)
        // The count for the given length, by proportion.
        for _ in 0..<3 {
            size = min(Self.maxObjects - 64, max(1, size * bytes / content.count))
            content = make(size, referenceBytes: 4)
        }
        return content
    }

    private func body(_ index: Int, unique: Bool) -> [UInt8] {
        if unique {
            var name: [UInt8] = []
            ShortNames.append(index, to: &name)
            return [0x50 | UInt8(name.count)] + name
        }
        return switch object {
        case .integer: [0x10, 0x07]
        case .real: [0x22, 0x3F, 0x80, 0, 0]
        case .date: [0x33, 0x41, 0xB0, 0, 0, 0, 0, 0, 0]
        case .data: [0x41, 0xFF]
        case .uid: [0x80, 0x01]
        case .ascii: [0x51, 0x61]
        case .utf16: [0x61, 0x20, 0xAC]
        case .null: [0x00]
        case .emptyArray: [0xA0]
        case .emptyDictionary: [0xD0]
        case .oneMember: [0x51, 0x6B]
        case .pair: [0x51, 0x6B]
        }
    }

    /// Returns the objects, each with the identifiers of its references.
    private func make(_ count: Int, referenceBytes: Int) -> [UInt8] {
        var objects: [(bytes: [UInt8], references: [Int])] = [([], [])]
        var containers: [Int] = []
        let members = min(count, Self.maxMembers)
        func container(_ marker: UInt8, _ references: [Int], count: Int) -> ([UInt8], [Int]) {
            if count < 15 { return ([marker | UInt8(count)], references) }
            let size = UInt32(count)
            return (
                [
                    marker | 15, 0x12, UInt8(truncatingIfNeeded: size >> 24), UInt8(truncatingIfNeeded: size >> 16),
                    UInt8(truncatingIfNeeded: size >> 8), UInt8(truncatingIfNeeded: size),
                ], references
            )
        }
        var unreached = 0
        switch self.container {
        case .array, .sharedElements:
            let isShared = self.container == .sharedElements
            var elements: [Int] = []
            if isShared { objects.append((body(0, unique: false), [])) }
            for index in 0..<count {
                if isShared {
                    elements.append(1)
                } else if object == .oneMember || object == .pair {
                    // Containers of one member each, whose key and value are shared.
                    if index == 0 { objects.append((body(0, unique: false), [])) }
                    objects.append(
                        object == .pair ? container(0xA0, [1], count: 1) : container(0xD0, [1, 1], count: 1)
                    )
                    elements.append(objects.count - 1)
                } else {
                    objects.append((body(index, unique: false), []))
                    elements.append(objects.count - 1)
                }
            }
            objects.append(container(0xA0, elements, count: elements.count))
            containers.append(objects.count - 1)
        case .uniqueKeys, .sharedKeys, .equalKeys:
            let value = 1
            objects.append((body(0, unique: false), []))
            var left = count
            while left > 0 {
                let size = min(left, members)
                left -= size
                var keys: [Int] = []
                for index in 0..<size {
                    switch self.container {
                    case .uniqueKeys, .array, .sharedElements, .unreached:
                        objects.append((body(index, unique: true), []))
                        keys.append(objects.count - 1)
                    case .sharedKeys:
                        if objects.count < 3 { objects.append((body(0, unique: true), [])) }
                        keys.append(2)
                    case .equalKeys:
                        objects.append((body(0, unique: true), []))
                        keys.append(objects.count - 1)
                    }
                }
                objects.append(container(0xD0, keys + repeatElement(value, count: size), count: size))
                containers.append(objects.count - 1)
            }
        case .unreached:
            unreached = count
            objects.append((body(0, unique: false), []))
            containers.append(1)
        }
        objects[0] = container(0xA0, containers, count: containers.count)
        if isArchive {
            // {$archiver: "a", $top: {root: UID}, $objects: [...]}
            let first = objects.count
            let old = objects[0]
            objects.append(old)
            for text in ["$archiver", "$top", "$objects", "root"] {
                objects.append(([0x50 | UInt8(text.utf8.count)] + Array(text.utf8), []))
            }
            objects.append(([0x80, 0x00], []))
            objects.append(container(0xD0, [first + 4, first + 5], count: 1))
            objects[0] = container(0xD0, [first + 1, first + 2, first + 3, first + 1, first + 6, first + 7], count: 3)
            objects.append(container(0xA0, [first], count: 1))
        }
        return Self.encode(objects, unreached: unreached)
    }

    private static func encode(_ objects: [(bytes: [UInt8], references: [Int])], unreached: Int) -> [UInt8] {
        let total = objects.count + unreached
        let referenceBytes = objects.count < 256 ? 1 : objects.count < 65_536 ? 2 : 3
        var content = Array("bplist00".utf8)
        var offsets: [Int] = []
        for object in objects {
            offsets.append(content.count)
            content += object.bytes
            for reference in object.references { content.append(bigEndian: reference, width: referenceBytes) }
        }
        let offsetBytes = content.count < 256 ? 1 : content.count < 65_536 ? 2 : content.count < 1 << 24 ? 3 : 4
        content += repeatElement(0x0F, count: max(0, total - (content.count - 8)))
        let table = content.count
        for offset in offsets { content.append(bigEndian: offset, width: offsetBytes) }
        content += repeatElement(8, count: unreached * offsetBytes)
        content += [0, 0, 0, 0, 0, 0, UInt8(offsetBytes), UInt8(referenceBytes)]
        content.append(bigEndian: total, width: 8)
        content.append(bigEndian: 0, width: 8)
        content.append(bigEndian: table, width: 8)
        return content
    }
}

extension [UInt8] {
    fileprivate mutating func append(bigEndian number: Int, width: Int) {
        for shift in stride(from: (width - 1) * 8, through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }
}

/// The structure of a property list in OpenStep's text form, with similar values.
struct TextPropertyListShape {
    enum Value: CaseIterable {
        case letter, escapes, integer, real, date, data, emptyArray, emptyDictionary, oneMember, long, uid
    }

    enum Container: CaseIterable {
        case array, uniqueKeys, equalKeys, keysAlone, nested
    }

    var value: Value
    var container: Container
    var isArchive: Bool

    init(_ choices: inout Choices) {
        value = choices.pick(Value.allCases)
        container = choices.pick(Container.allCases)
        isArchive = choices.pick([false, false, true])
    }

    func text(bytes: Int) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(bytes)
        var objects = 1
        if isArchive {
            text += "{$archiver=a;$top={root={CF$UID=<*I1>;};};$objects=($null,".utf8
            objects = 16
        }
        text.append(UInt8(ascii: "("))
        // At most one value and one key per iteration.
        while text.count + 64 < bytes, objects < (4 << 20) - 8 {
            appendContainer(to: &text, bytes: bytes - 64, &objects)
            text.append(UInt8(ascii: ","))
        }
        text.append(UInt8(ascii: ")"))
        if isArchive { text += ");}".utf8 }
        return text
    }

    private func appendContainer(to text: inout [UInt8], bytes: Int, _ objects: inout Int) {
        let isArray = container == .array || container == .nested
        text.append(isArray ? UInt8(ascii: "(") : UInt8(ascii: "{"))
        objects += 1
        let members = container == .nested ? 1 : 1_000_000
        for index in 0..<members where text.count < bytes && objects < (4 << 20) - 8 {
            switch container {
            case .array, .nested: break
            case .uniqueKeys: ShortNames.append(index, to: &text)
            case .equalKeys, .keysAlone: text.append(UInt8(ascii: "k"))
            }
            objects += 2
            if container == .keysAlone {
                text.append(UInt8(ascii: ";"))
                continue
            }
            if !isArray { text.append(UInt8(ascii: "=")) }
            appendValue(to: &text, &objects)
            text.append(isArray ? UInt8(ascii: ",") : UInt8(ascii: ";"))
        }
        text.append(isArray ? UInt8(ascii: ")") : UInt8(ascii: "}"))
    }

    private func appendValue(to text: inout [UInt8], _ objects: inout Int) {
        switch value {
        case .letter: text.append(UInt8(ascii: "x"))
        case .escapes: text += #""\n\t\U20ac\n\n\n\n\n\n\n\n\n""#.utf8
        case .integer: text += "<*I7>".utf8
        case .real: text += "<*R1>".utf8
        case .date: text += "<*D2024-05-01 10:20:30 +0200>".utf8
        case .data: text += "<0f>".utf8
        case .emptyArray: text += "()".utf8
        case .emptyDictionary: text += "{}".utf8
        case .oneMember:
            text += "{k=1;}".utf8
            objects += 2
        case .long: text += repeatElement(UInt8(ascii: "w"), count: 4000)
        case .uid:
            text += (isArchive ? "{CF$UID=<*I0>;}" : "{CF$UID=<*I1>;}").utf8
            objects += 2
        }
    }
}

/// The structure of an XML property list of similar values.
struct XMLPropertyListShape {
    private static let values = [
        "<true/>", "<string/>", "<string>x</string>", "<integer>7</integer>", "<real>1</real>", "<array/>", "<dict/>",
        "<date>2024-05-01T10:20:30Z</date>", "<data>AA==</data>", "<dict><key>k</key><true/></dict>",
        "<string>&amp;&#233;</string>", "<dict><key>CF$UID</key><integer>0</integer></dict>",
    ]

    var value: String
    var container: TextPropertyListShape.Container
    var isArchive: Bool

    init(_ choices: inout Choices) {
        value = choices.pick(Self.values)
        container = choices.pick(TextPropertyListShape.Container.allCases)
        isArchive = choices.pick([false, false, true])
    }

    func text(bytes: Int) -> [UInt8] {
        var text = Array("<plist>".utf8)
        text.reserveCapacity(bytes)
        if isArchive {
            text +=
                """
                <dict><key>$archiver</key><string/><key>$top</key><dict><key>root</key><dict><key>CF$UID</key>\
                <integer>1</integer></dict></dict><key>$objects</key><array><string>$null</string>
                """.utf8
        }
        text += "<array>".utf8
        var objects = 20
        while text.count + 160 < bytes, objects < (4 << 20) - 8 {
            let isArray = container == .array || container == .nested
            text += (isArray ? "<array>" : "<dict>").utf8
            objects += 1
            let members = container == .nested ? 1 : 1_000_000
            for index in 0..<members where text.count + 160 < bytes && objects < (4 << 20) - 8 {
                if !isArray {
                    text += "<key>".utf8
                    if container == .uniqueKeys { ShortNames.append(index, to: &text) }
                    text += "</key>".utf8
                }
                text += value.utf8
                objects += 4
            }
            text += (isArray ? "</array>" : "</dict>").utf8
        }
        text += "</array>".utf8
        if isArchive { text += "</array></dict>".utf8 }
        text += "</plist>".utf8
        return text
    }
}

/// The structure of an XML document of similar elements.
struct XMLShape {
    private static let pieces = [
        "<a/>", "<a/>b", "<a>b</a>", "<a b=\"\"/>", "<a b=\"c\">d</a>", "<a>&amp;</a>", "<a><b/></a>",
        "<a><!--b--></a>",
        "<a><![CDATA[b]]></a>", "<a>b<c/></a>", "<a xmlns=\"b\"/>", "<?a b?>", "b<a/>&lt;",
    ]

    var piece: String
    var names: Bool

    init(_ choices: inout Choices) {
        piece = choices.pick(Self.pieces)
        names = choices.pick([false, false, true])
    }

    func text(bytes: Int) -> [UInt8] {
        var text = Array("<r>".utf8)
        text.reserveCapacity(bytes)
        var index = 0
        while text.count + 64 < bytes {
            if names, index < 50_000 {
                text += "<n".utf8
                ShortNames.append(index, to: &text)
                text += "/>".utf8
                index += 1
            }
            text += piece.utf8
        }
        text += "</r>".utf8
        return text
    }
}
