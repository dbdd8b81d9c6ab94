-- One statement an event on the keys and the table that Loadstone's own engine has filled.
-- A key is a prefix and the zero-padded index; values are literals from a file, one a line.

sysbench.cmdline.options = {
   statement = {"get, set, insert, update or delete", "get"},
   keys = {"number of keys", 1},
   key_prefix = {"prefix of keys", "k"},
   key_digits = {"digits of keys", 15},
   values = {"file of value literals", ""},
   dialect = {"mysql or pgsql", "mysql"},
   prepared = {"prepare the statement once", false}
}

local templates = {
   get = "SELECT v FROM loadstone WHERE k = %s",
   update = "UPDATE loadstone SET v = %s WHERE k = %s",
   delete = "DELETE FROM loadstone WHERE k = %s"
}
local upserts = {
   mysql = "INSERT INTO loadstone (k, v) VALUES (%s, %s) ON DUPLICATE KEY UPDATE v = VALUES(v)",
   pgsql = "INSERT INTO loadstone (k, v) VALUES (%s, %s) ON CONFLICT (k) DO UPDATE SET v = excluded.v"
}

local connection, statement, key_param, key_format, literals, template, value_first

local function read_lines(path)
   local lines = {}
   if path ~= "" then
      for line in io.lines(path) do lines[#lines + 1] = line end
   end
   return lines
end

local function draw_key()
   return string.format(key_format, sysbench.rand.uniform(0, sysbench.opt.keys - 1))
end

local function draw_value()
   return literals[sysbench.rand.uniform(1, #literals)]
end

function thread_init()
   local options = sysbench.opt
   connection = sysbench.sql.driver():connect()
   key_format = options.key_prefix .. "%0" .. options.key_digits .. "d"
   literals = read_lines(options.values)
   template = templates[options.statement] or upserts[options.dialect]
   value_first = options.statement == "update"
   if options.prepared and #literals == 0 then
      local place = options.dialect == "pgsql" and "?::bytea" or "?"
      statement = connection:prepare(string.format(template, place))
      key_param = statement:bind_create(sysbench.sql.type.VARCHAR, 255)
      statement:bind_param(key_param)
   end
end

function event()
   if statement then
      key_param:set(draw_key())
      statement:execute()
      return
   end
   local key = "'" .. draw_key() .. "'"
   if #literals == 0 then
      connection:query(string.format(template, key))
   elseif value_first then
      connection:query(string.format(template, draw_value(), key))
   else
      connection:query(string.format(template, key, draw_value()))
   end
end

function thread_done()
   if statement then statement:close() end
   connection:disconnect()
end
