-- Posts 1 KB of JSON again and again.
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
local item = '{"id":12345,"name":"a name","tags":["one","two"],"price":19.99,"gone":null}'
local items = {}
for index = 1, 13 do items[index] = item end
wrk.body = "[" .. table.concat(items, ",") .. "]"
