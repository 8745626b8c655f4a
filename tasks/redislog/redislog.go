// Package redislog keeps a log in Redis to which several processes append. Each entry is sealed with the secret of the
// session.
package redislog

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/gomodule/redigo/redis"
)

// MaxEntry is the longest entry in bytes.
const MaxEntry = 8 << 20

// MaxEntries is the most entries of one request or answer.
const MaxEntries = 64

// maxReply bounds the entries of one answer, in bytes.
const maxReply = 2 * MaxEntry

// The errors of a log. Each is wrapped in an error that says more.
var (
	// ErrUnreachable means that Redis gave no answer or an error. An entry may or may not have been appended; the next answer shows
	// which.
	ErrUnreachable = errors.New("redis does not answer as it should")
	// ErrLost means that Redis no longer has the last entry that the caller has read: Redis was emptied, or replaced by an
	// older copy.
	ErrLost = errors.New("redis has lost what it had of the session")
	// ErrForged means that an entry was not written with the secret, or does not have the form of an entry.
	ErrForged = errors.New("redis has something that is not of the session")
)

// Place says where a log is and how to open it.
type Place struct {
	URL      string // in a form that CheckURL accepts
	Password string // of the user in the URL, "" for none
	Session  string // the name of the log
	Secret   string // lets its holder write entries
}

// CheckURL returns an error for text that is not the address of a Redis, or that contains a password. The error does not
// repeat the text.
func CheckURL(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "redis" && u.Scheme != "rediss" && u.Scheme != "unix" || u.Scheme != "unix" && u.Host == "" || u.Fragment != "" || u.RawQuery != "" {
		return errors.New("must be an address like redis://localhost:6379, rediss://USER@HOST:PORT or unix:///path")
	}
	if _, has := u.User.Password(); has {
		return errors.New("must not hold a password; take it out, and set REDIS_PASSWORD")
	}
	return nil
}

// Log is a log in Redis. Its methods are safe for concurrent use.
type Log struct {
	client *Client
	key    string
	seal   sealer
}

// Open returns the log at p. The first request connects.
func Open(p Place) (*Log, error) {
	client, err := Connect(p.URL, p.Password)
	if err != nil {
		return nil, err
	}
	return &Log{client: client, key: Key(p.Session), seal: newSealer(p.Secret, p.Session)}, nil
}

// Close closes the connections.
func (l *Log) Close() error { return l.client.Close() }

// Sign returns the signature of a text that hubs exchange beside the log: only holders of the secret can make it.
func (l *Log) Sign(text string) string { return l.seal.sign(text) }

// Key returns the key of the log of a session.
func Key(session string) string { return "ocaptain:{" + session + "}:log" }

// exchange returns the entries after the last entry that the caller has. If there are none, it appends the caller's new entries, all or none.
// The size of an answer is bounded.
//
// Its arguments are the number and seal of the caller's last entry; whether a new entry may be the first of the log, "" if not; how many
// bytes and entries may be returned; and the data and seal of each new entry. Its answer is a word, and then the number, data and seal of
// each entry.
var exchange = redis.NewScript(1, `
local key, n, sum, begin, fixed = KEYS[1], ARGV[1], ARGV[2], ARGV[3], 5
local function field(entry, name)
  local f = entry[2]
  if #f == 4 and f[1] == 'd' and f[3] == 'm' then return name == 'd' and f[2] or f[4] end
  return ''
end
if n ~= '0' then
  local last = redis.call('XRANGE', key, n .. '-0', n .. '-0')
  if #last == 0 or field(last[1], 'm') ~= sum then return {'lost'} end
elseif #ARGV > fixed and begin == '' and redis.call('EXISTS', key) == 0 then
  return {'lost'}
end
local newer = redis.call('XRANGE', key, '(' .. n .. '-0', '+', 'COUNT', ARGV[5])
if #newer == 0 then
  if #ARGV == fixed then return {'none'} end
  for i = fixed + 1, #ARGV, 2 do
    local before = n + (i - fixed - 1) / 2
    local id = string.format('%.0f-0', before + 1)
    if redis.pcall('XADD', key, id, 'd', ARGV[i], 'm', ARGV[i+1]) ~= id then -- there was an entry of that number, which is lost
      redis.call('XSETID', key, string.format('%.0f-0', before))
      redis.call('XADD', key, id, 'd', ARGV[i], 'm', ARGV[i+1])
    end
  end
  return {'appended'}
end
local out, left = {'newer'}, tonumber(ARGV[4])
for _, entry in ipairs(newer) do
  local d, m = field(entry, 'd'), field(entry, 'm')
  left = left - #d - #m
  if #d > 8388608 or #m > 64 then return {'forged'} end
  if left < 0 then break end
  table.insert(out, entry[1]) table.insert(out, d) table.insert(out, m)
end
return out`)

// Read returns the entries after the mark, oldest first. If there are many, it returns only the first of them.
func (l *Log) Read(ctx context.Context, after Mark) ([]Entry, error) {
	return l.ask(ctx, after, nil, "")
}

// Append appends entries if the log has none after the mark, all of them or none. It returns the entries after the mark, which are then only
// the new ones; appended is how many of the returned entries, from the first, are new ones. At most MaxEntries can be appended at once, of
// MaxEntry bytes in all. If begin is set, a new entry may be the first of the log.
func (l *Log) Append(ctx context.Context, after Mark, data [][]byte, begin bool) (newer []Entry, appended int, err error) {
	mine, size, at := make([]Entry, len(data)), 0, after
	for i := range data {
		size += len(data[i])
		mine[i] = l.seal.entry(at, data[i])
		at = mine[i].Mark
	}
	switch {
	case len(data) == 0 || len(data) > MaxEntries:
		return nil, 0, fmt.Errorf("%d entries cannot be appended at once, only 1 to %d", len(data), MaxEntries)
	case size > MaxEntry:
		return nil, 0, fmt.Errorf("%d bytes are more than the %d that an entry in Redis may have: add less at a time", size, MaxEntry)
	}
	may := ""
	if begin {
		may = "begin"
	}
	if newer, err = l.ask(ctx, after, mine, may); err != nil {
		return nil, 0, err
	}
	// The client repeats a request whose answer was lost: the entries may already be there, and others after them.
	for appended < min(len(mine), len(newer)) && newer[appended].Mark == mine[appended].Mark {
		appended++
	}
	return newer, appended, nil
}

// last returns the number and seal of the last entry, and nothing for an empty log.
var last = redis.NewScript(1, `
local entry = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
if not entry then return {} end
local f = entry[2]
if #f ~= 4 or f[3] ~= 'm' or #f[4] > 64 then return {entry[1], ''} end
return {entry[1], f[4]}`)

// Last returns the mark of the last entry in Redis, without checking its seal. It is the zero Mark for an empty log.
func (l *Log) Last(ctx context.Context) (Mark, error) {
	answer, err := l.client.run(ctx, last, l.key)
	if err != nil {
		return Mark{}, err
	}
	if len(answer) != 2 {
		return Mark{}, nil
	}
	number, _, _ := strings.Cut(answer[0], "-")
	m, err := ParseMark(number + "-" + answer[1])
	if err != nil {
		return Mark{}, fmt.Errorf("%w: %w", ErrForged, err)
	}
	return m, nil
}

// ask runs exchange and checks the seal of each returned entry.
func (l *Log) ask(ctx context.Context, after Mark, add []Entry, begin string) ([]Entry, error) {
	args := []any{l.key, strconv.FormatUint(after.Number, 10), after.Sum, begin, maxReply, MaxEntries}
	for _, e := range add {
		args = append(args, e.Data, e.Sum)
	}
	answer, err := l.client.run(ctx, exchange, args...)
	if err != nil {
		return nil, err
	}
	switch word := answer[0]; {
	case word == "none":
		return nil, nil
	case word == "appended":
		return add, nil
	case word == "lost":
		return nil, fmt.Errorf("%w: entry %d of %s is gone", ErrLost, after.Number, l.key)
	case word != "newer" || len(answer) < 4 || len(answer)%3 != 1:
		return nil, fmt.Errorf("%w: %s", ErrForged, l.key)
	}
	var all []Entry
	for at := after; len(answer) > 3; answer = answer[3:] {
		e := l.seal.entry(at, []byte(answer[2]))
		if answer[1] != strconv.FormatUint(e.Number, 10)+"-0" || !equal(e.Sum, answer[3]) {
			return nil, fmt.Errorf("%w: entry %d of %s", ErrForged, e.Number, l.key)
		}
		all = append(all, e)
		at = e.Mark
	}
	return all, nil
}
