package agent

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"ocaptain/fleet/agent/agentlog"
)

// codex is OpenAI's Codex CLI. Tried with 0.169.0 and a model on loopback: the flags, the prompt from standard input,
// resume by id, and the events in codexEvent. File changes, searches, MCP calls and to-do lists are taken from its
// source.
var codex = npmAgent(Agent{
	Name: "codex",
	Keys: []string{"CODEX_API_KEY", "OPENAI_API_KEY"},
	// "codex login" writes this file, which a host of the captain may have.
	Login:     ".codex/auth.json",
	Prepare:   nothing,
	Command:   codexCommand,
	Resumable: codexResumable,
	Read:      readCodex,
})

func codexCommand(s Setup) Command {
	args := []string{"codex", "exec"}
	if s.Resume {
		args = append(args, "resume")
	}
	args = append(args, "--dangerously-bypass-approvals-and-sandbox", "--skip-git-repo-check", "--json",
		"-c", "allow_login_shell=false", // a login shell takes PATH from /etc/profile, without ocaptain
		"-c", "features.shell_snapshot=false", // a snapshot holds the whole environment, the key included, and stays when Codex is killed
		"-c", "features.goals=false", "-c", "features.sleep_tool=false") // useless on a ship, where helm decides what to do next and when
	args = append(args, codexTelemetry(s.Telemetry)...)
	if s.Model != "" {
		args = append(args, "--model", s.Model)
	}
	if s.Search {
		args = append(args, "-c", fmt.Sprintf("mcp_servers.%s={command=%s, args=[\"mcp\"]}", agentlog.SearchServer, strconv.Quote(s.Ocaptain)))
	}
	env := map[string]string{}
	key := s.Secrets["CODEX_API_KEY"]
	if key == "" && s.Secrets["OPENAI_API_KEY"] != "" {
		env["CODEX_API_KEY"] = s.Secrets["OPENAI_API_KEY"] // "exec" reads the key only from this variable
	}
	if base := s.Env["OPENAI_BASE_URL"]; base != "" {
		// Codex does not read OPENAI_BASE_URL. A provider of our own also avoids its attempts to use a WebSocket.
		for _, kv := range [][2]string{
			{"name", "gateway"}, {"base_url", base}, {"env_key", "CODEX_API_KEY"}, {"wire_api", "responses"},
		} {
			args = append(args, "-c", fmt.Sprintf("model_providers.gateway.%s=%s", kv[0], strconv.Quote(kv[1])))
		}
		args = append(args, "-c", `model_provider="gateway"`)
	}
	if s.Resume {
		args = append(args, s.Session)
	}
	return Command{Args: append(args, "-"), Env: env, Stdin: s.First}
}

// codexResumable reports whether the session's file exists.
func codexResumable(home, session string) bool {
	if !agentlog.SessionID().MatchString(session) {
		return false
	}
	found, err := filepath.Glob(filepath.Join(agentlog.EscapeGlob(home), ".codex", "sessions", "*", "*", "*", "rollout-*-"+session+".jsonl"))
	return err == nil && len(found) > 0
}

// codexEvent is a line of the output of "codex exec --json".
type codexEvent struct {
	Type    string `json:"type"`
	Thread  string `json:"thread_id"`
	Message string `json:"message"`
	Error   struct {
		Message string `json:"message"`
	} `json:"error"`
	Usage struct {
		Input  int64 `json:"input_tokens"`
		Cached int64 `json:"cached_input_tokens"`
		Output int64 `json:"output_tokens"`
	} `json:"usage"`
	Item struct {
		Type    string `json:"type"`
		Text    string `json:"text"`
		Message string `json:"message"`
		Command string `json:"command"`
		Output  string `json:"aggregated_output"`
		Exit    *int   `json:"exit_code"`
		Server  string `json:"server"`
		Tool    string `json:"tool"`
		Query   string `json:"query"`
		Changes []struct {
			Path string `json:"path"`
			Kind string `json:"kind"`
		} `json:"changes"`
	} `json:"item"`
}

func readCodex(line []byte) ([]agentlog.Event, bool) {
	var e codexEvent
	if json.Unmarshal(line, &e) != nil || e.Type == "" {
		return nil, false
	}
	i := e.Item
	switch e.Type {
	case "thread.started":
		return []agentlog.Event{{Session: e.Thread}}, true
	case "turn.completed": // usage of the whole thread, including what was before a resume
		return []agentlog.Event{{Tokens: agentlog.WithoutCached(e.Usage.Input, e.Usage.Cached, e.Usage.Output), Whole: true}}, true
	case "turn.failed":
		return agentlog.FailEvent(e.Error.Message), true
	case "error": // Codex tries again; if that fails, turn.failed follows
		return agentlog.TextEvent(agentlog.Fault, e.Message), true
	case "item.started":
		switch i.Type {
		case "command_execution":
			return agentlog.TextEvent(agentlog.Tool, i.Command), true
		case "mcp_tool_call":
			return agentlog.TextEvent(agentlog.Tool, i.Server+" "+i.Tool), true
		}
	case "item.completed":
		switch i.Type {
		case "agent_message":
			return agentlog.TextEvent(agentlog.Say, i.Text), true
		case "error":
			return agentlog.TextEvent(agentlog.Note, i.Message), true
		case "web_search":
			return append(agentlog.TextEvent(agentlog.Tool, "search "+i.Query), agentlog.ResultEvent(agentlog.Result, "")...), true
		case "mcp_tool_call":
			return agentlog.ResultEvent(agentlog.Result, ""), true
		case "file_change":
			var names []string
			for _, c := range i.Changes[:min(len(i.Changes), 20)] {
				names = append(names, c.Kind+" "+c.Path)
			}
			return append(agentlog.TextEvent(agentlog.Tool, strings.Join(names, ", ")), agentlog.ResultEvent(agentlog.Result, "")...), true
		case "command_execution":
			if i.Exit != nil && *i.Exit != 0 {
				return agentlog.ResultEvent(agentlog.Fault, fmt.Sprintf("exit code %d\n%s", *i.Exit, i.Output)), true
			}
			return agentlog.ResultEvent(agentlog.Result, i.Output), true
		}
	}
	return nil, true
}
