-- Posts the same content again and again: BODY_FILE, whose type is BODY_TYPE; or else JSON of about BODY_BYTES, an
-- array of small objects as an API returns them, minified.
wrk.method = "POST"
local path = os.getenv("BODY_FILE")
if path then
    wrk.headers["Content-Type"] = os.getenv("BODY_TYPE")
    wrk.body = assert(io.open(path, "rb")):read("*a")
    return
end

local bytes = tonumber(os.getenv("BODY_BYTES") or "1024")
local item = '{"id":%d,"name":"a name","tags":["one","two"],"price":19.99,"url":"https://example.org/%d","gone":null}'
local items, count = {}, 2
repeat
    items[#items + 1] = item:format(12345 + #items, #items)
    count = count + #items[#items] + 1
until count + #item > bytes

wrk.headers["Content-Type"] = "application/json"
wrk.body = "[" .. table.concat(items, ",") .. "]"
