package agent

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"ocaptain/fleet/agent/agentlog"

	"ocaptain/tasks/pattern"
)

// opencode is OpenCode. Tried with 1.18.33 and a model on loopback: the flags, the prompt from standard input, resume
// by id, and all events.
var opencode = npmAgent(Agent{
	Name:      "opencode",
	Keys:      opencodeKeys,
	Pass:      opencodeKeys, // the model decides which of them it needs
	Login:     ".local/share/opencode/auth.json",
	Prepare:   nothing,
	Command:   opencodeCommand,
	Resumable: opencodeResumable,
	Read:      readOpencode,
})

var opencodeKeys = []string{"OPENCODE_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY"}

func opencodeCommand(s Setup) Command {
	args := []string{"opencode", "run", "--auto", "--format", "json"}
	if s.Model != "" {
		args = append(args, "--model", s.Model)
	}
	if s.Resume {
		args = append(args, "--session", s.Session)
	}
	config := map[string]any{"autoupdate": false, "share": "disabled"}
	if s.Search {
		config["mcp"] = map[string]any{agentlog.SearchServer: map[string]any{"type": "local", "command": []string{s.Ocaptain, "mcp"}, "enabled": true}}
	}
	if base := s.Env["OPENAI_BASE_URL"]; base != "" {
		config["provider"] = map[string]any{"openai": map[string]any{"options": map[string]any{"baseURL": base}}}
	}
	env := map[string]string{"OPENCODE_DISABLE_AUTOUPDATE": "1"}
	if s.Telemetry.Endpoint != "" {
		config["experimental"] = map[string]any{"openTelemetry": true}
		env["OTEL_BSP_SCHEDULE_DELAY"] = "1" // it exits without sending what is still queued
	}
	raw, err := json.Marshal(config)
	if err != nil {
		panic(err) // cannot happen: strings can always be encoded
	}
	env["OPENCODE_CONFIG_CONTENT"] = string(raw)
	return Command{Args: args, Stdin: s.First, Env: env}
}

var opencodeSession = pattern.New(`^ses_[0-9A-Za-z]{1,60}$`)

// opencodeResumable checks only the form of the id, since OpenCode keeps sessions in a database.
func opencodeResumable(home, session string) bool {
	_, err := os.Stat(filepath.Join(home, ".local", "share", "opencode", "opencode.db"))
	return err == nil && opencodeSession().MatchString(session)
}

// opencodeEvent is a line of the output of "opencode run --format json".
type opencodeEvent struct {
	Type    string `json:"type"`
	Session string `json:"sessionID"`
	Error   struct {
		Name string `json:"name"`
		Data struct {
			Message string `json:"message"`
			Status  int    `json:"statusCode"`
		} `json:"data"`
	} `json:"error"`
	Part struct {
		Text  string  `json:"text"`
		Cost  float64 `json:"cost"`
		Tool  string  `json:"tool"`
		State struct {
			Status   string          `json:"status"`
			Input    json.RawMessage `json:"input"`
			Output   string          `json:"output"`
			Error    string          `json:"error"`
			Metadata struct {
				Exit int `json:"exit"`
			} `json:"metadata"`
		} `json:"state"`
		Tokens struct {
			Input     int64 `json:"input"`
			Output    int64 `json:"output"`
			Reasoning int64 `json:"reasoning"`
			Cache     struct {
				Read  int64 `json:"read"`
				Write int64 `json:"write"`
			} `json:"cache"`
		} `json:"tokens"`
	} `json:"part"`
}

func readOpencode(line []byte) ([]agentlog.Event, bool) {
	var e opencodeEvent
	if json.Unmarshal(line, &e) != nil || e.Type == "" {
		return nil, false
	}
	switch e.Type {
	case "step_start":
		return []agentlog.Event{{Session: e.Session}}, true
	case "text":
		return agentlog.TextEvent(agentlog.Say, e.Part.Text), true
	case "tool_use":
		st := e.Part.State
		all := agentlog.CallEvent(e.Part.Tool, st.Input)
		switch {
		case st.Status == "error":
			all = append(all, agentlog.ResultEvent(agentlog.Fault, st.Error)...)
		case st.Metadata.Exit != 0:
			all = append(all, agentlog.ResultEvent(agentlog.Fault, fmt.Sprintf("exit code %d\n%s", st.Metadata.Exit, st.Output))...)
		default:
			all = append(all, agentlog.ResultEvent(agentlog.Result, st.Output)...)
		}
		return all, true
	case "step_finish":
		t := e.Part.Tokens
		return []agentlog.Event{{Cost: e.Part.Cost, Tokens: agentlog.Tokens{Input: t.Input, Output: t.Output + t.Reasoning, CacheRead: t.Cache.Read, CacheWrite: t.Cache.Write}}}, true
	case "error":
		why := e.Error.Data.Message
		if e.Error.Data.Status != 0 {
			why = fmt.Sprintf("%s (status %d)", why, e.Error.Data.Status)
		}
		if why == "" {
			why = e.Error.Name
		}
		return agentlog.FailEvent(why), true
	}
	return nil, true
}
