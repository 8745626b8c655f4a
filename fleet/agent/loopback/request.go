package loopback

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Request is a request of Claude Code to the model. It contains the whole conversation so far.
type Request struct {
	Session  string // the session's UUID, the same after a resume
	Key      string // API key or bearer token
	Client   string // User-Agent
	Model    string
	Stream   bool
	System   string
	Tools    []string // names of the tools that the model may call
	Messages []Message
}

// Message is one entry of the conversation.
type Message struct {
	Role  string // user, assistant or system
	Parts []Part
}

// Part is a piece of a message: a text, a call of a tool, or the result of one.
type Part struct {
	Type   string          // text, tool_use, tool_result, or another type, which brains do not need
	Text   string          // of a text and of a result
	ID     string          // connects a result with its call
	Tool   string          // of a call and of its result
	Input  json.RawMessage // of a call and of its result
	Failed bool            // the result is an error
}

// Call is a call of a tool together with its result.
type Call struct {
	Tool   string
	Input  json.RawMessage
	Result string
	Failed bool
	Done   bool // the result has arrived
}

// Arg returns a text argument of the call, "" if the call lacks it.
func (c Call) Arg(name string) string {
	var args map[string]any
	if json.Unmarshal(c.Input, &args) != nil {
		return ""
	}
	s, _ := args[name].(string)
	return s
}

// OK reports whether the call has succeeded. The result of a refused or unknown TaskUpdate is not marked as an error;
// only its text says so.
func (c Call) OK() bool {
	return c.Done && !c.Failed && (c.Tool != "TaskUpdate" || strings.HasPrefix(c.Result, "Updated task"))
}

// Has reports whether the model may call this tool.
func (r Request) Has(tool string) bool { return slices.Contains(r.Tools, tool) }

// aside reports whether the answer is for Claude Code itself and does not become a part of the conversation. A
// request for a title has no tools, and a request for a compaction's summary has fixed words.
func (r Request) aside() bool {
	if len(r.Tools) == 0 {
		return true
	}
	prompts := r.Prompts()
	return len(prompts) > 0 && strings.HasPrefix(prompts[len(prompts)-1], "CRITICAL: Respond with TEXT ONLY.")
}

// Step returns how many answers the model has given so far. A brain that decides by it continues after a resume.
func (r Request) Step() int {
	n := 0
	for _, m := range r.Messages {
		if m.Role == "assistant" {
			n++
		}
	}
	return n
}

// news returns the request with only the messages since the model's last answer.
func (r Request) news() Request {
	for i, m := range slices.Backward(r.Messages) {
		if m.Role == "assistant" {
			r.Messages = r.Messages[i+1:]
			break
		}
	}
	return r
}

// Fresh returns the parts of the messages since the model's last answer.
func (r Request) Fresh() []Part {
	var parts []Part
	for _, m := range r.news().Messages {
		parts = append(parts, m.Parts...)
	}
	return parts
}

// Compacts reports whether Claude Code asks for a summary that will replace the conversation. Brains never get such a
// request.
func (r Request) Compacts() bool {
	for _, p := range r.Fresh() {
		if p.Type == "text" && strings.HasPrefix(p.Text, "CRITICAL: Respond with TEXT ONLY") {
			return true
		}
	}
	return false
}

// Prompts returns what people and hooks said, oldest first, without the reminders that Claude Code itself adds.
func (r Request) Prompts() []string {
	var out []string
	for _, m := range r.Messages {
		for _, p := range m.Parts {
			if m.said(p) {
				out = append(out, p.Text)
			}
		}
	}
	return out
}

// Calls returns the calls of tools in order, each with its result.
func (r Request) Calls() []Call {
	var calls []Call
	at := map[string]int{}
	for _, m := range r.Messages {
		for _, p := range m.Parts {
			switch p.Type {
			case "tool_use":
				at[p.ID] = len(calls)
				calls = append(calls, Call{Tool: p.Tool, Input: p.Input})
			case "tool_result":
				if i, ok := at[p.ID]; ok {
					calls[i].Result, calls[i].Failed, calls[i].Done = p.Text, p.Failed, true
				}
			}
		}
	}
	return calls
}

// said reports whether a person or a hook said this part. Messages of the role system are Claude Code's own. Since
// 2.1.332, a reminder contains what a hook says at the end of a turn.
func (m Message) said(p Part) bool {
	reminds := strings.HasPrefix(strings.TrimSpace(p.Text), "<system-reminder>")
	return m.Role == "user" && p.Type == "text" && (!reminds || strings.Contains(p.Text, "\nStop hook feedback:\n"))
}

// body is the wire form of a request.
type body struct {
	Model    string    `json:"model"`
	Stream   bool      `json:"stream"`
	System   content   `json:"system"`
	Messages []message `json:"messages"`
	Tools    []struct {
		Name string `json:"name"`
	} `json:"tools"`
}

type message struct {
	Role    string  `json:"role"`
	Content content `json:"content"`
}

// content is a text or a list of blocks; the API accepts both everywhere.
type content []block

type block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   content         `json:"content"`
	IsError   bool            `json:"is_error"`
}

func (c *content) UnmarshalJSON(data []byte) error {
	if bytes.HasPrefix(data, []byte(`"`)) {
		*c = content{{Type: "text"}}
		return json.Unmarshal(data, &(*c)[0].Text)
	}
	var blocks []block
	if err := json.Unmarshal(data, &blocks); err != nil {
		return err
	}
	*c = blocks
	return nil
}

// text joins the texts of the blocks.
func (c content) text() string {
	var texts []string
	for _, b := range c {
		if b.Type == "text" {
			texts = append(texts, b.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// parseRequest reads the body of a request. It copies the name and input of each call to its result, so that a brain
// need not look for the call.
func parseRequest(data []byte) (Request, error) {
	var in body
	if err := json.Unmarshal(data, &in); err != nil {
		return Request{}, fmt.Errorf("parse request body: %w", err)
	}
	r := Request{Model: in.Model, Stream: in.Stream, System: in.System.text()}
	for _, t := range in.Tools {
		r.Tools = append(r.Tools, t.Name)
	}
	calls := map[string]block{}
	for _, m := range in.Messages {
		out := Message{Role: m.Role}
		for _, b := range m.Content {
			p := Part{Type: b.Type, Text: b.Text, ID: b.ID, Tool: b.Name, Input: b.Input}
			switch b.Type {
			case "tool_use":
				calls[b.ID] = b
			case "tool_result":
				call := calls[b.ToolUseID]
				p = Part{Type: b.Type, Text: b.Content.text(), ID: b.ToolUseID, Tool: call.Name, Input: call.Input, Failed: b.IsError}
			}
			out.Parts = append(out.Parts, p)
		}
		r.Messages = append(r.Messages, out)
	}
	return r, nil
}
