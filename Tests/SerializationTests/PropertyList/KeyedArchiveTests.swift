import Serialization
import Testing

struct KeyedArchiveTests {
    /// Returns an archive of `objects` in GNUstep's text form, with `{root = UID 1}` as `$top`.
    private func archive(_ objects: String) -> String {
        "{ $archiver = NSKeyedArchiver; $version = <*I100000>; $top = { root = {CF$UID = <*I1>;}; }; $objects = ($null, \(objects)); }"
            .replacing("UID(", with: "{CF$UID = <*I").replacing(")U", with: ">;}")
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
            "{$class = UID(2)U; NS.keys = (UID(3)U); NS.objects = (UID(4)U);}, {$classname = NSMutableDictionary;}, k, <*I5>",
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
}
