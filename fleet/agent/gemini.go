package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"ocaptain/fleet/agent/agentlog"

	"ocaptain/sync/whole"
)

// gemini is Google's Gemini CLI. Tried with 0.61.0 and a model on loopback: the flags, the prompt from standard
// input, a session id of ours and its resume, and all events except errors, which are taken from its source.
var gemini = npmAgent(Agent{
	Name:      "gemini",
	Keys:      []string{"GEMINI_API_KEY"},
	Login:     ".gemini/oauth_creds.json",
	Prepare:   prepareGemini,
	Command:   geminiCommand,
	Resumable: geminiResumable,
	Read:      readGemini,
	Longest:   24 * time.Hour, // its quotas are per day
})

// prepareGemini makes it log in with the key, if there is a key and no other login was chosen. With an address other
// than Google's it does not do so by itself.
func prepareGemini(s Setup) error {
	path := filepath.Join(s.Home, ".gemini", "settings.json")
	set, err := readObject(path)
	if err != nil {
		return fmt.Errorf("gemini settings: %w", err)
	}
	object(set, "general")["enableAutoUpdate"] = false
	auth := object(object(set, "security"), "auth")
	if auth["selectedType"] == nil && s.Secrets["GEMINI_API_KEY"] != "" {
		auth["selectedType"] = "gemini-api-key"
	}
	if s.Search {
		object(set, "mcpServers")[agentlog.SearchServer] = map[string]any{"command": s.Ocaptain, "args": []string{"mcp"}, "trust": true}
	}
	raw, err := json.MarshalIndent(set, "", "  ")
	if err != nil {
		return fmt.Errorf("gemini settings: %w", err)
	}
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), whole.Write(path, raw, 0o600)); err != nil {
		return fmt.Errorf("gemini settings: %w", err)
	}
	return nil
}

func geminiCommand(s Setup) Command {
	args := []string{"gemini", "--yolo", "--skip-trust", "--output-format", "stream-json"}
	if s.Model != "" {
		args = append(args, "--model", s.Model)
	}
	if s.Resume {
		args = append(args, "--resume", s.Session)
	} else {
		args = append(args, "--session-id", s.Session)
	}
	return Command{Args: args, Env: geminiTelemetry(s.Telemetry), Stdin: s.First}
}

// geminiResumable looks for the session's file, whose name contains the beginning of the id.
func geminiResumable(home, session string) bool {
	if !agentlog.SessionID().MatchString(session) {
		return false
	}
	found, err := filepath.Glob(filepath.Join(agentlog.EscapeGlob(home), ".gemini", "tmp", "*", "chats", "session-*-"+session[:8]+".json*"))
	return err == nil && len(found) > 0
}

// geminiEvent is a line of the output of "gemini -o stream-json".
type geminiEvent struct {
	Type    string          `json:"type"`
	Session string          `json:"session_id"`
	Role    string          `json:"role"`
	Content string          `json:"content"`
	Delta   bool            `json:"delta"`
	Tool    string          `json:"tool_name"`
	Params  json.RawMessage `json:"parameters"`
	Status  string          `json:"status"`
	Output  json.RawMessage `json:"output"`
	Message string          `json:"message"`
	Error   struct {
		Message string `json:"message"`
	} `json:"error"`
	Stats struct {
		Input  int64 `json:"input_tokens"`
		Cached int64 `json:"cached"`
		Output int64 `json:"output_tokens"`
	} `json:"stats"`
}

func readGemini(line []byte) ([]agentlog.Event, bool) {
	var e geminiEvent
	if json.Unmarshal(line, &e) != nil || e.Type == "" {
		return nil, false
	}
	switch e.Type {
	case "init":
		return []agentlog.Event{{Session: e.Session}}, true
	case "message":
		if e.Role == "assistant" && e.Content != "" {
			return []agentlog.Event{{Kind: agentlog.Say, Text: agentlog.BoundText(e.Content), Part: e.Delta}}, true
		}
	case "tool_use":
		return agentlog.CallEvent(e.Tool, e.Params), true
	case "tool_result":
		if e.Status == "error" {
			return agentlog.ResultEvent(agentlog.Fault, e.Error.Message+"\n"+agentlog.PlainText(e.Output)), true
		}
		return agentlog.ResultEvent(agentlog.Result, agentlog.PlainText(e.Output)), true
	case "error":
		return agentlog.TextEvent(agentlog.Fault, e.Message), true
	case "result":
		used := agentlog.Event{Tokens: agentlog.WithoutCached(e.Stats.Input, e.Stats.Cached, e.Stats.Output)}
		if e.Status == "error" {
			return append(agentlog.FailEvent(e.Error.Message), used), true
		}
		return []agentlog.Event{used}, true
	}
	return nil, true
}
