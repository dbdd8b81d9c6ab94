-- sysbench: REPLACE by prepared statement into a table of keys and values like the engine's.
sysbench.cmdline.options = { table_size = { "Number of keys", 100000 }, value_size = { "Bytes of a value", 100 } }

local drv, con, statement, key, value

function thread_init()
   drv = sysbench.sql.driver()
   con = drv:connect()
   statement = con:prepare("REPLACE INTO loadstone (k, v) VALUES (?, ?)")
   key = statement:bind_create(sysbench.sql.type.CHAR, 16)
   value = statement:bind_create(sysbench.sql.type.CHAR, sysbench.opt.value_size)
   statement:bind_param(key, value)
   value:set(string.rep("x", sysbench.opt.value_size))
end

function event()
   key:set(string.format("k%015d", sysbench.rand.uniform(0, sysbench.opt.table_size - 1)))
   statement:execute()
end

function thread_done()
   statement:close()
   con:disconnect()
end
