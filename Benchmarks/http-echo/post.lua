-- Posts JSON of about BODY_BYTES again and again: an array of small objects as an API answers them, minified.
local bytes = tonumber(os.getenv("BODY_BYTES") or "1024")
local item = '{"id":%d,"name":"a name","tags":["one","two"],"price":19.99,"url":"https://example.org/%d","gone":null}'
local items, count = {}, 2
repeat
    items[#items + 1] = item:format(12345 + #items, #items)
    count = count + #items[#items] + 1
until count + #item > bytes

wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.body = "[" .. table.concat(items, ",") .. "]"
