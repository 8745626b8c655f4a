// Package agentlog reads what agents print and write: the events of a run without a terminal, transcripts with their token counts, and the
// usage limits and failures of a service.
package agentlog

import (
	"encoding/json"
	"strings"
	"time"

	"ocaptain/tasks/pattern"
)

// Event is one event in a program's structured output.
type Event struct {
	Kind    string // say, tool, result, error or note; "" when there is nothing to show
	Text    string
	Part    bool   // Text is a piece of a text, which the next piece continues
	Session string // the program's id of the session, if the event has it
	Failed  string // why the turn has failed, whatever the exit code; "" if it has not
	Tokens  Tokens
	Cost    float64 // in US dollars, since the last event; 0 if unknown
	Whole   bool    // Tokens are those of the session so far, not those since the last event
}

// WithoutCached returns the tokens of a program that includes cached tokens in its input.
func WithoutCached(input, cached, output int64) Tokens {
	return Tokens{Input: max(0, input-cached), CacheRead: cached, Output: output}
}

// The kinds of events that are shown. A ship's log uses the same.
const (
	Say    = "say"
	Tool   = "tool"
	Result = "result"
	Fault  = "error"
	Note   = "note"
)

// MaxText bounds the text of an event, in bytes.
const MaxText = 16 << 10

// TextEvent returns an event with this text, or none if the text is empty.
func TextEvent(kind, text string) []Event {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	return []Event{{Kind: kind, Text: BoundText(text)}}
}

// ResultEvent returns the event of a tool's answer, a result or an error. Even an empty answer is an event, since the model continues
// from it.
func ResultEvent(kind, text string) []Event { return []Event{{Kind: kind, Text: BoundText(text)}} }

// BoundText returns the beginning of a text, at most MaxText bytes.
func BoundText(text string) string {
	if len(text) > MaxText {
		text = strings.ToValidUTF8(text[:MaxText], "") + "…"
	}
	return text
}

// FailEvent returns the event of a turn that has failed.
func FailEvent(why string) []Event {
	if strings.TrimSpace(why) == "" {
		why = "it does not say why"
	}
	return []Event{{Kind: Fault, Text: BoundText(why), Failed: BoundText(why)}}
}

// CallEvent returns the event of a tool call as one line: the tool's name and its main argument.
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

// PlainText returns a JSON string as text, or joins a list of strings.
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

// Each of these matches what programs and providers print for one cause of a failure.
var (
	refusedKey = pattern.New(`(?i)\b401\b|unauthori[sz]ed|invalid (api )?key|incorrect api key|api[ _]key not (valid|found)|no api key|no authentication information|set an auth method|not logged in|invalid auth`)
	usage      = pattern.New(`(?i)usage limit|quota|resource.?exhausted|hit your .*limit`)
	limited    = pattern.New(`(?i)\b(429|503|529)\b|rate.?limit|usage limit|quota|overloaded|too many requests|resource.?exhausted`)
)

// NeedsKey reports whether a failed turn's last words mean that the program has no key that the service accepts.
func NeedsKey(words string) bool { return refusedKey().MatchString(words) }

// LimitTrouble returns what the usage limit in a failed turn's last words means, and when it passes, if they say so.
func LimitTrouble(words string, now time.Time) Trouble {
	kind := TroubleAPI
	if usage().MatchString(words) {
		kind = TroubleUsage
	}
	return Trouble{Kind: kind, Why: inShort(words), Until: ResetTime(words, now)}
}

// Limited reports whether a failed turn's last words mean a usage limit, which passes by itself.
func Limited(words string) bool { return limited().MatchString(words) && !NeedsKey(words) }
