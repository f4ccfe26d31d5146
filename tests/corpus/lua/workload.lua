-- A fixed workload: the same bytes on each machine, whatever seed the tables' hashes have. Argument: how often.

local passes = tonumber(arg and arg[1]) or 1

local state = 42
local function random(limit)
  state = (state * 1103515245 + 12345) & 0x7fffffff
  return state % limit + 1
end

local function strings()
  local parts = {}
  for i = 1, 500 do
    parts[#parts + 1] = string.format("%05d:%x:%-6s|%+.3e", i, i * i, ("ab"):rep(i % 4), i / 7)
  end
  local text = table.concat(parts, "\n")
  local digits = select(2, text:gsub("%d", "%0"))
  local swapped = text:gsub("(%d+):(%x+)", "%2-%1"):upper()
  local words = 0
  for _ in text:gmatch("[^\n|:]+") do words = words + 1 end
  local packed = string.pack("<i4 z s2 d", 1234567, "zero", "counted", 0.5)
  local a, b, c, d = string.unpack("<i4 z s2 d", packed)
  local sum = 0
  for _, code in utf8.codes("a\u{e9}\u{20ac}\u{1f600}") do sum = sum + code end
  return #text, digits, #swapped, words, a, b, c, d, sum, text:find("00250", 1, true), text:reverse():byte(1, 3)
end

local function tables()
  local by_name = {}
  for i = 1, 2000 do by_name["k" .. random(700)] = i end
  local names = {}
  for name in pairs(by_name) do names[#names + 1] = name end
  table.sort(names)
  local total = 0
  for i, name in ipairs(names) do total = (total + i * by_name[name]) % 1000003 end
  for i = #names, 1, -2 do table.remove(names, i) end
  table.insert(names, 1, "first")
  local moved = table.move(names, 2, 10, 1, {})
  return #names, total, moved[1], moved[9], select("#", table.unpack(moved))
end

local function sorting()
  local numbers = {}
  for i = 1, 3000 do numbers[i] = random(100000) end
  table.sort(numbers)
  local ascending = true
  for i = 2, #numbers do ascending = ascending and numbers[i - 1] <= numbers[i] end
  table.sort(numbers, function(a, b) return a % 1000 > b % 1000 or (a % 1000 == b % 1000 and a < b) end)
  return ascending, numbers[1], numbers[1500], numbers[3000]
end

local function closures()
  local function counter(step)
    local n = 0
    return function() n = n + step; return n end, function() return n end
  end
  local next_one, value = counter(3)
  for _ = 1, 1000 do next_one() end
  local function compose(f, g) return function(...) return f(g(...)) end end
  local f = function(x) return x + 1 end
  for _ = 1, 20 do f = compose(f, function(x) return x * 2 % 9973 end) end
  local function ackermann(m, n)
    if m == 0 then return n + 1 end
    if n == 0 then return ackermann(m - 1, 1) end
    return ackermann(m - 1, ackermann(m, n - 1))
  end
  local function tail(n, sum) if n == 0 then return sum end return tail(n - 1, sum + n) end
  return value(), f(7), ackermann(2, 9), tail(5000, 0)
end

local Vector = {}
Vector.__index = Vector
Vector.__add = function(a, b) return setmetatable({x = a.x + b.x, y = a.y + b.y}, Vector) end
Vector.__eq = function(a, b) return a.x == b.x and a.y == b.y end
Vector.__lt = function(a, b) return a.x < b.x end
Vector.__len = function(a) return a.x end
Vector.__concat = function(a, b) return tostring(a) .. tostring(b) end
Vector.__tostring = function(a) return "(" .. a.x .. "," .. a.y .. ")" end
Vector.__call = function(a, f) return setmetatable({x = f(a.x), y = f(a.y)}, Vector) end

local function objects()
  local v = setmetatable({x = 0, y = 0}, Vector)
  local one = setmetatable({x = 1, y = 2}, Vector)
  for _ = 1, 500 do v = v + one end
  local missing = setmetatable({}, {__index = function(_, key) return key .. "?" end})
  local doubled = v(function(n) return n * 2 end)
  return tostring(v), #v, v == doubled, one < v, v .. one, missing.there, rawlen({1, 2, 3}), rawequal(v, v)
end

local function control()
  local squares = coroutine.wrap(function()
    for i = 1, 200 do coroutine.yield(i * i) end
    return "done"
  end)
  local last, sum = 0, 0
  repeat
    last = squares()
    if last ~= "done" then sum = sum + last end
  until last == "done"
  local caught = 0
  for i = 1, 200 do
    local ok, message = pcall(function() if i % 3 == 0 then error({code = i}) end return i end)
    if not ok then caught = caught + message.code end
  end
  local _, text = xpcall(function() return nil + 1 end, function(message) return (message:gsub("^.-:%d+: ", "")) end)
  local i = 0
  ::again::
  i = i + 1
  if i < 100 then goto again end
  local closed = {}
  do
    local handle <close> = setmetatable({}, {__close = function() closed[#closed + 1] = "closed" end})
  end
  return sum, caught, text, i, closed[1], load("return 6 * 7")()
end

local function numbers()
  local sieve, primes = {}, 0
  for i = 2, 5000 do
    if not sieve[i] then
      primes = primes + 1
      for j = i * i, 5000, i do sieve[j] = true end
    end
  end
  local pi = 0.0
  for k = 0, 5000 do pi = pi + (k % 2 == 0 and 1 or -1) / (2 * k + 1) end
  local bits = 0
  for i = 1, 1000 do bits = bits ~ (i << (i % 13)) & 0xffff | (i >> 2) end
  return primes, string.format("%.12f", pi * 4), bits, 7 // 2, -7 // 2, -7 % 3, 7.5 // 2, 2 ^ 10, math.maxinteger + 1 == math.mininteger,
         math.tointeger(3.0), math.type(1), math.type(1.0), string.format("%.6f", math.sin(1) + math.exp(1) + math.log(10, 2)), "10" + 5, 0x7fp-1
end

for pass = 1, passes do
  print("pass", pass)
  for _, part in ipairs{strings, tables, sorting, closures, objects, control, numbers} do print(part()) end
  collectgarbage()
end
