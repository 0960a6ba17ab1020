import type { Redis } from "ioredis";
import { redisScript } from "../redis-connection.ts";
import { probeKey } from "../redis-keys.ts";

/**
 * Calls each command that is used with harmless arguments, and returns the names of those that Redis refuses: renamed
 * ones, and ones that the ACL forbids. Arguments: a key that is empty before and afterwards. It writes only if it can
 * delete. The key is not a key of the call, so that each node of a cluster runs the script.
 */
const tryCommands = redisScript(`
local key, refused = ARGV[1], {}
local function try(name, ...)
  local answer = redis.pcall(name, ...)
  local why = type(answer) == 'table' and answer.err or ''
  if string.find(why, 'NOPERM') or string.find(why, 'nknown Redis command') or string.find(why, 'The user executing') then
    refused[#refused + 1] = name
  end
end
for _, name in ipairs({'DEL', 'UNLINK', 'EXISTS', 'TYPE', 'PTTL', 'GET', 'HGETALL', 'HVALS', 'HLEN', 'ZCARD'}) do
  try(name, key)
end
for _, name in ipairs({'HGET', 'HMGET', 'HDEL', 'HEXISTS', 'ZREM', 'ZSCORE', 'ZREVRANK'}) do try(name, key, 'x') end
for _, name in ipairs({'ZRANGE', 'ZREVRANGE', 'ZRANGEBYSCORE', 'ZREVRANGEBYSCORE', 'ZCOUNT', 'ZREMRANGEBYRANK',
  'ZREMRANGEBYSCORE'}) do try(name, key, 0, 0) end
for _, name in ipairs({'PEXPIRE', 'PEXPIREAT'}) do try(name, key, 1) end
try('TIME')
try('SCAN', 0)
try('INFO', 'server')
try('PUBLISH', key, '')
if #refused > 0 then return refused end
try('HSET', key, 'x', 'x')
redis.pcall('DEL', key)
try('ZADD', key, 0, 'x')
redis.pcall('DEL', key)
try('SET', key, 'x')
try('GETSET', key, 'x')
redis.pcall('DEL', key)
return refused
`);

/**
 * Names the commands that any of the servers refuses to run, in upper case. Errors of other kinds are ignored, since they
 * say nothing of commands.
 */
export async function findRefusedCommands(servers: readonly Redis[]): Promise<readonly string[]> {
  const refused = new Set<string>();
  const note = (error: Error): void => {
    const command = refusedCommandOf(error);
    if (command !== undefined) refused.add(command);
  };
  const tryAt = async (server: Redis): Promise<void> => {
    await server.evalsha(tryCommands.sha, 0, probeKey).catch(note);
    const names = await server.eval(tryCommands.lua, 0, probeKey).catch(note);
    for (const name of Array.isArray(names) ? names : []) refused.add(String(name));
  };
  await Promise.all(servers.map(tryAt));
  return [...refused];
}

/** Command that an error says is unknown or not permitted, in upper case; undefined for other errors. */
function refusedCommandOf({ message }: Error): string | undefined {
  const [, name] = /^(?:NOPERM|ERR unknown command)\b[^'`]*['`]([a-z]+)/i.exec(message) ?? [];
  return name?.toUpperCase();
}
