import Serialization
import Synchronization
import Testing

struct KeyedArchiveTests {
    /// Returns an archive of `objects` in GNUstep's text form, with `{root = UID 1}` as `$top`.
    private func archive(_ objects: String) -> String {
        let objects = objects.replacing("UID(", with: "{CF$UID = <*I").replacing(")U", with: ">;}")
        return "{ $archiver = NSKeyedArchiver; $version = <*I100000>; $top = { root = {CF$UID = <*I1>;}; }; "
            + "$objects = ($null, \(objects)); }"
    }

    private func resolved(_ objects: String) throws(PropertyListError) -> String {
        try readPropertyList(archive(objects)) { $0.archive = .resolve }.text
    }

    private static let meanings: [(String, String)] = [
        ("x", #""x""#),
        (
            "{$class = UID(2)U; NS.objects = (UID(3)U, UID(3)U, UID(0)U);}, {$classname = NSArray;}, x",
            #"["x","x",null]"#
        ),
        (
            "{$class = UID(2)U; NS.keys = (UID(3)U); NS.objects = (UID(4)U);}, "
                + "{$classname = NSMutableDictionary;}, k, <*I5>",
            #"{"k":5}"#
        ),
        ("{$class = UID(2)U; NS.objects = (UID(3)U);}, {$classname = NSSet;}, x", #"["x"]"#),
        ("{$class = UID(2)U; NS.time = <*R0.5>;}, {$classname = NSDate;}", #""2001-01-01T00:00:00.5Z""#),
        ("{$class = UID(2)U; NS.string = hi;}, {$classname = NSMutableString;}", #""hi""#),
        ("{$class = UID(2)U; NS.data = <01>;}, {$classname = NSMutableData;}", #""AQ==""#),
        (
            "{$class = UID(2)U; NS.uuidbytes = <000102030405060708090a0b0c0d0eff>;}, {$classname = NSUUID;}",
            #""00010203-0405-0607-0809-0A0B0C0D0EFF""#
        ),
        (
            "{$class = UID(2)U; NS.base = UID(0)U; NS.relative = UID(3)U;}, {$classname = NSURL;}, \"http://a/\"",
            #""http://a/""#
        ),
        ("{$class = UID(2)U;}, {$classname = NSNull;}", "null"),
        (
            "{$class = UID(2)U; name = UID(3)U; age = <*I7>;}, {$classname = Person;}, Ann",
            #"{"$class":"Person","name":"Ann","age":7}"#
        ),
        // Keys that are not strings: nothing is lost.
        (
            "{$class = UID(2)U; NS.keys = (UID(3)U); NS.objects = (UID(4)U);}, {$classname = NSDictionary;}, <*I1>, x",
            #"{"$class":"NSDictionary","NS.keys":[1],"NS.objects":["x"]}"#
        ),
    ]

    @Test(arguments: meanings)
    func `resolves an archive to its objects`(objects: String, expected: String) throws {
        let text = try readPropertyList(archive(objects)) {
            $0.archive = .resolve
            $0.nulls = .keep
        }.text
        #expect(text == #"{"root":\#(expected)}"#)
    }

    @Test func `keeps the archive as it is by default`() throws {
        #expect(try readPropertyList(archive("x")).text.contains(#""$top":{"root":{"CF$UID":1}}"#))
    }

    @Test func `does not change values that are not archives`() throws {
        #expect(try readPropertyList("{a = b;}") { $0.archive = .resolve }.text == #"{"a":"b"}"#)
    }

    @Test(arguments: [
        ("{$class = UID(2)U; self = UID(1)U;}, {$classname = A;}", PropertyListError.Reason.cycle),
        ("{$class = UID(9)U;}", .invalidArchive), ("{$class = UID(2)U;}, x", .invalidArchive),
        ("UID(1)U", .invalidArchive),
    ])
    func `rejects archives that cannot be resolved`(objects: String, reason: PropertyListError.Reason) {
        let error = propertyListRefusal(of: Array(archive(objects).utf8)) { $0.archive = .resolve }
        #expect(error?.reason == reason)
    }

    @Test func `rejects values that sharing makes too long`() {
        let arrays = (1...40).map { "{$class = UID(42)U; NS.objects = (UID(\($0 + 1))U, UID(\($0 + 1))U);}" }
        let error = propertyListRefusal(
            of: Array(archive(arrays.joined(separator: ", ") + ", x, {$classname = NSArray;}").utf8)
        ) {
            $0.archive = .resolve
        }
        guard case .expansionTooLarge = error?.reason else {
            Issue.record("accepted, or rejected with \(String(describing: error))")
            return
        }
    }

    /// An archive in binary form whose root contains `count` dictionaries with the same `count` numbers as their keys
    /// and values.
    private func dictionariesWithSharedKeys(_ count: Int) -> [UInt8] {
        func text(_ text: String) -> [UInt8] { [0x5F, 0x10, UInt8(text.utf8.count)] + Array(text.utf8) }
        func two(_ number: Int) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 0xFF)] }
        func array(_ references: [Int]) -> [UInt8] { [0xAF, 0x11] + two(references.count) + references.flatMap(two) }
        let names = ["$archiver", "$top", "$objects", "$class", "$classname", "NSDictionary", "NS.keys", "NS.objects"]
        let first = 7 + names.count
        func name(_ name: String) -> Int { 7 + (names.firstIndex(of: name) ?? 0) }
        var objects: [[UInt8]] = [
            [0xD3] + [name("$archiver"), name("$top"), name("$objects"), 6, 1, 2].flatMap(two),
            [0xD1] + [name("$classname"), 3].flatMap(two),
            array([6, 5, 4]), array(Array(first..<first + count)),
            [0xD1] + [name("$classname"), name("NSDictionary")].flatMap(two), array(Array(repeating: 6, count: count)),
            [0x10, 1],
        ]
        objects += names.map(text)
        let members = ["$class", "NS.keys", "NS.objects"].map(name) + [first + count, 5, 5]
        objects += Array(repeating: [0xD3] + members.flatMap(two), count: count)
        objects.append([0x80, 2])
        return binaryPropertyList(objects, referenceBytes: 2)
    }

    /// Grants a given number of bytes in total.
    private final class Grant: MemoryGrant {
        private let left: Atomic<Int>

        init(bytes: Int) { left = Atomic(bytes) }

        func grow(by bytes: Int) -> Bool { left.subtract(bytes, ordering: .relaxed).newValue >= 0 }
    }

    @Test func `memory is requested for the references of collections that share their elements`() {
        // 90 000 references of four bytes, in a content of 5 KB with 320 objects.
        let content = dictionariesWithSharedKeys(300)
        func refusal(_ bytes: Int) -> PropertyListError.Reason? {
            propertyListRefusal(of: content) {
                $0.archive = .resolve
                $0.memory = Grant(bytes: bytes)
            }?.reason
        }
        #expect(refusal(256 << 10) == .outOfMemory)
        #expect(refusal(2 << 20) == nil)
    }
}
