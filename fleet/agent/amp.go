package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"ocaptain/fleet/agent/agentlog"

	"ocaptain/tasks/pattern"
)

// amp is Sourcegraph's Amp. It needs an account, so that only its help, version and login prompt were tried
// (0.0.1790142911-g7618fb). According to its help, its events are those of Claude Code's stream-json.
var amp = npmAgent(Agent{
	Name:    "amp",
	Keys:    []string{"AMP_API_KEY"},
	Prepare: prepareAmp,
	Command: ampCommand,
	// Amp's service stores the threads.
	Resumable: func(_, session string) bool { return ampThread().MatchString(session) },
	Read:      readAmp,
})

var ampThread = pattern.New(`^T-[0-9a-fA-F-]{36}$`)

func ampSettings(home string) string { return filepath.Join(home, ".ocaptain", "amp-settings.json") }

// prepareAmp writes settings, since no flag makes Amp work without questions.
func prepareAmp(s Setup) error {
	raw := []byte(`{"amp.dangerouslyAllowAll": true, "amp.updates.mode": "disabled", "amp.notifications.enabled": false}` + "\n")
	if err := errors.Join(os.MkdirAll(filepath.Dir(ampSettings(s.Home)), 0o700), os.WriteFile(ampSettings(s.Home), raw, 0o600)); err != nil {
		return fmt.Errorf("amp settings: %w", err)
	}
	return nil
}

func ampCommand(s Setup) Command {
	args := []string{"amp"}
	if s.Resume {
		args = append(args, "threads", "continue", s.Session)
	} else {
		args = append(args, "--no-archive-after-execute", "--no-ide") // "threads continue" does not list these in its help
	}
	args = append(args, "--settings-file", ampSettings(s.Home), "--stream-json")
	if s.Model != "" {
		args = append(args, "--mode", s.Model)
	}
	return Command{Args: append(args, "--execute"), Stdin: s.First}
}

// streamEvent is a line of Claude Code's stream-json.
type streamEvent struct {
	Type    string `json:"type"`
	Session string `json:"session_id"`
	IsError bool   `json:"is_error"`
	Error   string `json:"error"`
	Result  string `json:"result"`
	Message struct {
		Content json.RawMessage `json:"content"`
		Usage   struct {
			Input   int64 `json:"input_tokens"`
			Read    int64 `json:"cache_read_input_tokens"`
			Created int64 `json:"cache_creation_input_tokens"`
			Output  int64 `json:"output_tokens"`
		} `json:"usage"`
	} `json:"message"`
}

// streamPart is a block of a message.
type streamPart struct {
	Type    string          `json:"type"`
	Text    string          `json:"text"`
	Name    string          `json:"name"`
	Input   json.RawMessage `json:"input"`
	Content json.RawMessage `json:"content"`
	IsError bool            `json:"is_error"`
}

func readAmp(line []byte) ([]agentlog.Event, bool) {
	var e streamEvent
	if json.Unmarshal(line, &e) != nil || e.Type == "" {
		return nil, false
	}
	all := []agentlog.Event{{Session: e.Session}}
	switch e.Type {
	case "assistant", "user":
		var parts []streamPart
		_ = json.Unmarshal(e.Message.Content, &parts)
		for _, p := range parts {
			switch {
			case p.Type == "text" && e.Type == "assistant":
				all = append(all, agentlog.TextEvent(agentlog.Say, p.Text)...)
			case p.Type == "tool_use":
				all = append(all, agentlog.CallEvent(p.Name, p.Input)...)
			case p.Type == "tool_result" && p.IsError:
				all = append(all, agentlog.ResultEvent(agentlog.Fault, partText(p.Content))...)
			case p.Type == "tool_result":
				all = append(all, agentlog.ResultEvent(agentlog.Result, partText(p.Content))...)
			}
		}
		if u := e.Message.Usage; e.Type == "assistant" {
			all = append(all, agentlog.Event{Tokens: agentlog.Tokens{Input: u.Input, Output: u.Output, CacheRead: u.Read, CacheWrite: u.Created}})
		}
	case "result":
		if e.IsError {
			all = append(all, agentlog.FailEvent(e.Error+e.Result)...)
		}
	}
	return all, true
}

// partText returns the text of a tool's result, which is a string or a list of parts with texts.
func partText(raw json.RawMessage) string {
	if s := agentlog.PlainText(raw); s != "" {
		return s
	}
	var parts []struct {
		Text string `json:"text"`
	}
	_ = json.Unmarshal(raw, &parts)
	text := ""
	for _, p := range parts {
		text += p.Text
	}
	return text
}
