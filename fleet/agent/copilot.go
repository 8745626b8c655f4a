package agent

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"ocaptain/fleet/agent/agentlog"
)

// copilot is GitHub's Copilot CLI. Tried with 1.0.102 and a model on loopback: the flags, the prompt from standard
// input, a session id of ours and its resume, and the events. It was never tried with an account at GitHub.
var copilot = npmAgent(Agent{
	Name:    "copilot",
	Longest: 31 * 24 * time.Hour, // its premium requests are limited per month
	// GH_TOKEN would work too, but ships must not get it. The second key is for another provider of models, which needs
	// no account at GitHub.
	Keys:      []string{"COPILOT_GITHUB_TOKEN", "COPILOT_PROVIDER_API_KEY"},
	Login:     ".copilot/config.json",
	Prepare:   nothing,
	Command:   copilotCommand,
	Resumable: copilotResumable,
	Read:      readCopilot,
})

func copilotCommand(s Setup) Command {
	args := []string{
		"copilot", "--allow-all", "--no-ask-user", "--no-auto-update", "--no-color", "--no-remote",
		"--output-format", "json", "--stream", "off",
		"--excluded-tools=session_store_sql,fetch_copilot_cli_documentation", // earlier sessions, which a ship lacks, and the manual of Copilot
	}
	if s.Model != "" {
		args = append(args, "--model", s.Model)
	}
	if s.Resume {
		args = append(args, "--resume="+s.Session)
	} else {
		args = append(args, "--session-id", s.Session)
	}
	return Command{Args: args, Stdin: s.First}
}

func copilotResumable(home, session string) bool {
	if !agentlog.SessionID().MatchString(session) {
		return false
	}
	_, err := os.Stat(filepath.Join(home, ".copilot", "session-state", session, "events.jsonl"))
	return err == nil
}

// copilotEvent is a line of the output of "copilot --output-format json".
type copilotEvent struct {
	Type    string `json:"type"`
	Session string `json:"sessionId"`
	Exit    int    `json:"exitCode"`
	Data    struct {
		Content string          `json:"content"`
		Message string          `json:"message"`
		Tool    string          `json:"toolName"`
		Args    json.RawMessage `json:"arguments"`
		Success *bool           `json:"success"`
		Result  struct {
			Content string `json:"content"`
		} `json:"result"`
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
		Shell struct {
			Exit int `json:"exitCode"`
		} `json:"shellExecution"`
	} `json:"data"`
}

func readCopilot(line []byte) ([]agentlog.Event, bool) {
	var e copilotEvent
	if json.Unmarshal(line, &e) != nil || e.Type == "" {
		return nil, false
	}
	d := e.Data
	switch e.Type {
	case "assistant.message":
		return agentlog.TextEvent(agentlog.Say, d.Content), true
	case "tool.execution_start":
		return agentlog.CallEvent(d.Tool, d.Args), true
	case "tool.execution_complete":
		switch {
		case d.Success != nil && !*d.Success:
			return agentlog.ResultEvent(agentlog.Fault, d.Error.Message+"\n"+d.Result.Content), true
		case d.Shell.Exit != 0:
			return agentlog.ResultEvent(agentlog.Fault, fmt.Sprintf("exit code %d\n%s", d.Shell.Exit, d.Result.Content)), true
		}
		return agentlog.ResultEvent(agentlog.Result, d.Result.Content), true
	case "session.error":
		return agentlog.FailEvent(d.Message), true
	case "result":
		return []agentlog.Event{{Session: e.Session}}, true
	}
	return nil, true
}
