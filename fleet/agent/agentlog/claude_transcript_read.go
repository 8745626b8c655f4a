package agentlog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// claudeReader reads the lines of one transcript of Claude Code.
type claudeReader struct {
	workspace string
	calls     map[string]claudeCall // calls of tools that have no result yet, by id
}

type claudeCall struct{ tool, said string }

// maxCalls bounds how many calls a reader remembers.
const maxCalls = 1000

func newClaudeReader(workspace string) *claudeReader {
	return &claudeReader{workspace, map[string]claudeCall{}}
}

// claudeLine is a line of a transcript, with the fields that are used here.
type claudeLine struct {
	Type     string `json:"type"`
	Subtype  string `json:"subtype"`
	Side     bool   `json:"isSidechain"`
	APIError bool   `json:"isApiErrorMessage"`
	Message  struct {
		ID      string         `json:"id"`
		Model   string         `json:"model"`
		Content jsontext.Value `json:"content"`
		Usage   struct {
			Input      int64 `json:"input_tokens"`
			Output     int64 `json:"output_tokens"`
			CacheRead  int64 `json:"cache_read_input_tokens"`
			CacheWrite int64 `json:"cache_creation_input_tokens"`
		} `json:"usage"`
	} `json:"message"`
}

// claudeBlock is one block of a message.
type claudeBlock struct {
	Type    string         `json:"type"`
	Text    string         `json:"text"`
	ID      string         `json:"id"`
	Name    string         `json:"name"`
	Input   jsontext.Value `json:"input"`
	Call    string         `json:"tool_use_id"`
	Content jsontext.Value `json:"content"`
	Failed  bool           `json:"is_error"`
}

// lenient accepts duplicate names and invalid UTF-8, which a program may write.
var lenient = jsonv2.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// synthetic is the model in answers that Claude Code itself makes.
const synthetic = "<synthetic>"

// claudeMarks are the bytes that a line of interest contains. Quotes inside a text are escaped, so that a text does
// not match; Claude Code writes no spaces between name and value.
var claudeMarks = [][]byte{[]byte(`"type":"assistant"`), []byte(`"type":"user"`), []byte(`"subtype":"turn_duration"`)}

// readLine decodes a line. Most bytes of a file are in lines of no interest here, mainly copies of the model's
// requests; readLine skips these without parsing them.
func (c *claudeReader) readLine(line []byte) Step {
	if !slices.ContainsFunc(claudeMarks, func(mark []byte) bool { return bytes.Contains(line, mark) }) {
		return Step{}
	}
	var l claudeLine
	if jsonv2.Unmarshal(line, &l, lenient) != nil {
		return Step{}
	}
	s := Step{Sub: l.Side}
	switch l.Type {
	case "assistant":
		c.answer(&s, &l)
	case "user":
		for _, b := range blocks(l.Message.Content) {
			if b.Type == "tool_result" {
				c.result(&s, b)
			}
		}
	case "system":
		s.Over = l.Subtype == "turn_duration"
	}
	return s
}

// answer decodes a part of the model's answer, or what Claude Code says in its place.
func (c *claudeReader) answer(s *Step, l *claudeLine) {
	m := &l.Message
	if m.Model == synthetic {
		for _, b := range blocks(m.Content) {
			if l.APIError && b.Text != "" {
				s.add("error", m.ID+b.Text, firstLines(b.Text))
			}
		}
		return
	}
	s.Message, s.Model = Shorten(m.ID, 200), Shorten(m.Model, 100)
	u := m.Usage
	s.Tokens = Tokens{boundCount(u.Input), boundCount(u.Output), boundCount(u.CacheRead), boundCount(u.CacheWrite)}
	for _, b := range blocks(m.Content) {
		switch b.Type {
		case "text":
			if text := strings.TrimSpace(b.Text); text != "" {
				s.add("say", m.ID+text, firstLines(text))
			}
		case "tool_use":
			var in map[string]json.RawMessage
			_ = jsonv2.Unmarshal(b.Input, &in, lenient)
			said := Describe(b.Name, in, c.workspace)
			if len(c.calls) < maxCalls {
				c.calls[Shorten(b.ID, 200)] = claudeCall{Shorten(b.Name, 100), said}
			}
			s.add("tool", "call "+b.ID, said)
		}
	}
}

// quiet are the tools whose results are not logged when they succeed.
var quiet = map[string]bool{
	"Read": true, "Write": true, "Edit": true, "NotebookEdit": true, "TodoWrite": true, "ToolSearch": true, "Skill": true,
	"TaskList": true, "TaskGet": true, "TaskUpdate": true, "TaskCreate": true,
}

// launched is how the result of a call begins that has started a subagent. The subagent's work is in a file of its
// own.
const launched = "Async agent launched successfully."

// result decodes the result of a tool call.
func (c *claudeReader) result(s *Step, b claudeBlock) {
	call := c.calls[b.Call]
	delete(c.calls, b.Call)
	text := strings.TrimSpace(content(b.Content))
	key := "result " + b.Call
	switch {
	case b.Failed:
		text = strings.TrimSpace(strings.NewReplacer("<tool_use_error>", "", "</tool_use_error>", "").Replace(text))
		if call.said != "" {
			text = call.said + ": " + text
		}
		s.add("error", key, firstLines(text))
	case text != "" && !quiet[call.tool] && !strings.HasPrefix(call.tool, "mcp__"+SearchServer) && !strings.HasPrefix(text, launched):
		first, rest, _ := strings.Cut(text, "\n")
		switch n := strings.Count(rest, "\n") + 1; {
		case rest == "":
		case n == 1:
			first = Shorten(first, 300) + " (+1 line)"
		default:
			first = fmt.Sprintf("%s (+%d lines)", Shorten(first, 300), n)
		}
		s.add("result", key, Shorten(first, 320))
	}
}

func (s *Step) add(kind, key, text string) {
	s.Entries = append(s.Entries, Entry{Key: key, Kind: kind, Text: text})
}

// blocks returns the blocks of a message, which may also be plain text.
func blocks(raw jsontext.Value) []claudeBlock {
	var all []claudeBlock
	if raw.Kind() != '[' || jsonv2.Unmarshal(raw, &all, lenient) != nil {
		return nil
	}
	return all
}

// content returns the text of a result, which is a string or a list of blocks.
func content(raw jsontext.Value) string {
	if raw.Kind() == '"' {
		var s string
		_ = jsonv2.Unmarshal(raw, &s, lenient)
		return s
	}
	for _, b := range blocks(raw) {
		if b.Type == "text" {
			return b.Text
		}
	}
	return ""
}

// firstLines returns the first few lines of a text, each cut to a maximum length.
func firstLines(s string) string {
	const most, width = 5, 600
	lines := strings.SplitAfterN(strings.TrimSpace(s), "\n", most+1)
	more := len(lines) > most
	s = strings.TrimSpace(strings.Join(lines[:min(most, len(lines))], ""))
	if len(s) > width {
		return Shorten(s, width)
	}
	if more {
		s += " …"
	}
	return s
}

// maxCount bounds the tokens of one answer; no real answer has as many.
const maxCount = 1 << 40

// boundCount limits a number of tokens to a possible value.
func boundCount(n int64) int64 { return min(max(n, 0), maxCount) }
