// Package agentlog reads what agents print and write: the events of a run without a terminal, transcripts with the tokens that they tell, and
// the limits and failures that a service answers with.
package agentlog

import (
	"encoding/json"
	"strings"
	"time"

	"ocaptain/tasks/pattern"
)

// Event is one thing that a program tells in its structured output.
type Event struct {
	Kind    string // say, tool, result, error or note; "" when there is nothing to show
	Text    string
	Part    bool   // a piece of a text that the next piece continues
	Session string // its id of the session, where it tells
	Failed  string // why the turn has failed, whatever the exit code will be
	Tokens  Tokens
	Cost    float64 // in US dollars, since the event before; 0 where it is not told
	Whole   bool    // Tokens counts the session up to here, not what was used since the event before
}

// WithoutCached are the tokens of a program that counts what a cache had as input too.
func WithoutCached(input, cached, output int64) Tokens {
	return Tokens{Input: max(0, input-cached), CacheRead: cached, Output: output}
}

// The kinds of events that are shown; they are those of a ship's log.
const (
	Say    = "say"
	Tool   = "tool"
	Result = "result"
	Fault  = "error"
	Note   = "note"
)

// MaxText bounds the text of an event, in bytes.
const MaxText = 16 << 10

// TextEvent makes an event of text, or none of an empty one.
func TextEvent(kind, text string) []Event {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	return []Event{{Kind: kind, Text: BoundText(text)}}
}

// ResultEvent makes the event of what a tool answers, a result or an error, also when it says nothing: the model gets it to go on from.
func ResultEvent(kind, text string) []Event { return []Event{{Kind: kind, Text: BoundText(text)}} }

// BoundText is the beginning of a text, as much of it as an event may have.
func BoundText(text string) string {
	if len(text) > MaxText {
		text = strings.ToValidUTF8(text[:MaxText], "") + "…"
	}
	return text
}

// FailEvent makes the event of a turn that has failed.
func FailEvent(why string) []Event {
	if strings.TrimSpace(why) == "" {
		why = "it does not say why"
	}
	return []Event{{Kind: Fault, Text: BoundText(why), Failed: BoundText(why)}}
}

// CallEvent puts a tool's call in a line: its name and the argument that says most.
func CallEvent(name string, input json.RawMessage) []Event {
	var args map[string]json.RawMessage
	_ = json.Unmarshal(input, &args)
	for _, key := range []string{"command", "cmd", "file_path", "filePath", "path", "absolute_path", "pattern", "query", "url", "description"} {
		if s := PlainText(args[key]); s != "" {
			return TextEvent(Tool, name+" "+s)
		}
	}
	return TextEvent(Tool, name)
}

// PlainText is a JSON string, or the words of a list of strings.
func PlainText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var words []string
	if json.Unmarshal(raw, &words) == nil {
		return strings.Join(words, " ")
	}
	return ""
}

// Each of these matches words of programs and their providers for one cause.
var (
	refusedKey = pattern.New(`(?i)\b401\b|unauthori[sz]ed|invalid (api )?key|incorrect api key|api[ _]key not (valid|found)|no api key|no authentication information|set an auth method|not logged in|invalid auth`)
	usage      = pattern.New(`(?i)usage limit|quota|resource.?exhausted|hit your .*limit`)
	limited    = pattern.New(`(?i)\b(429|503|529)\b|rate.?limit|usage limit|quota|overloaded|too many requests|resource.?exhausted`)
)

// NeedsKey reports whether a failed turn's last words mean that the program has no key
// that is accepted.
func NeedsKey(words string) bool { return refusedKey().MatchString(words) }

// LimitTrouble says what the limit in a failed turn's last words means, and when it passes if they
// say so.
func LimitTrouble(words string, now time.Time) Trouble {
	kind := TroubleAPI
	if usage().MatchString(words) {
		kind = TroubleUsage
	}
	return Trouble{Kind: kind, Why: inShort(words), Until: ResetTime(words, now)}
}

// Limited reports whether a failed turn's last words mean a limit that passes by itself.
func Limited(words string) bool { return limited().MatchString(words) && !NeedsKey(words) }
