"""Who is in a room, counted over all servers that have the same Redis.

tokviz:here:KXTM   who is in it at which server, and when that server last said so
"""

from collections.abc import Iterable
from typing import Any

#: Where all servers hear of each change.
NEWS = "tokviz:news"
#: Seconds after which those of a server that said nothing are there no more.
LEFT = 15.0
#: Seconds after which a server says again who is in its rooms.
SAYS = 5.0

#: Have people come to a room ("come"), go ("go") or be there still ("stay"); return how many are
#: there, each once, without teachers. In one step, so that the last number told is the right one.
_COUNT = """
local now = tonumber(redis.call('TIME')[1])
for i = 5, #ARGV do
  if ARGV[3] == 'go' then redis.call('ZREM', KEYS[1], ARGV[i])
  else redis.call('ZADD', KEYS[1], now, ARGV[i]) end
end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', '(' .. now - ARGV[4])
redis.call('EXPIRE', KEYS[1], ARGV[4])
local seen, here = {}, 0
for _, member in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  local voter = string.match(member, '|(.*)')
  if voter ~= '' and not seen[voter] then seen[voter] = true; here = here + 1 end
end
if ARGV[3] ~= 'stay' then
  redis.call('PUBLISH', ARGV[1], cjson.encode({code = ARGV[2], here = here}))
end
return here
"""


def key_of(code: str) -> str:
    """Return where those are that are in a room.

    >>> key_of("KXTM")
    'tokviz:here:KXTM'
    """
    return f"tokviz:here:{code}"


def count(asks: Any, what: str, code: str, server: str, voters: Iterable[str]) -> None:
    """Have a pipeline ask how many are in a room, after some of a server came, went or stayed."""
    who = [f"{server}|{voter}" for voter in voters]
    asks.eval(_COUNT, 1, key_of(code), NEWS, code, what, int(LEFT), *who)
