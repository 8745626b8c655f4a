package agent

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"ocaptain/fleet/agent/agentlog"
)

var claudeHeadless = &Headless{Plan: claudePlan, Probe: claudeProbe, Read: readClaude}

// claudePlan runs on the captain's machine, in a repository that may be anybody's. So no
// permission is bypassed: nothing that runs commands is there, file tools stay in the
// repository and the draft, only the draft may be written to, whatever would ask is refused,
// and settings, hooks and servers of the repository are not read.
func claudePlan(p Planning) []string {
	args := []string{
		p.Program, "-p", "--output-format", "stream-json", "--verbose", "--max-turns", strconv.Itoa(p.Turns),
		"--restricted", "--strict-mcp-config", "--permission-mode", "dontAsk", "--permission-prompts", "none",
		"--tools", "Read,Glob,Grep,Write,Edit", "--add-dir", p.Draft,
		// A rule for Edit holds for every tool that writes; two slashes begin an absolute path.
		"--allowedTools", "Edit(/" + agentlog.EscapeGlob(p.Draft) + "/**)",
	}
	if p.Model != "" {
		args = append(args, "--model", p.Model)
	}
	if p.Session != "" {
		args = append(args, "--resume", p.Session)
	}
	return args
}

// claudeProbe asks for one word, without tools and without a trace.
func claudeProbe(s Setup) Command {
	args := []string{
		"claude", "-p", "--output-format", "stream-json", "--verbose", "--max-turns", "1", "--no-session-persistence",
		"--setting-sources", "user", "--strict-mcp-config", "--disable-slash-commands", "--tools", "",
	}
	if s.Model != "" {
		args = append(args, "--model", s.Model)
	}
	env := claudeEnv(s)
	env["CLAUDE_CODE_MAX_RETRIES"] = "1" // it is a question, not work
	return Command{Args: append(args, "--", ProbePrompt), Env: env}
}

// ProbePrompt is what a probe says to the model.
const ProbePrompt = "This only tests the connection. Answer with the one word: aye"

// readClaude reads a line of --output-format stream-json.
func readClaude(line []byte) Told {
	var in struct {
		Type    string `json:"type"`
		Session string `json:"session_id"`
		Message struct {
			Content json.RawMessage `json:"content"`
		} `json:"message"`
		Parent  string   `json:"parent_tool_use_id"`
		Subtype string   `json:"subtype"`
		IsError bool     `json:"is_error"`
		Status  int      `json:"api_error_status"`
		Result  string   `json:"result"`
		Errors  []string `json:"errors"`
		Cost    float64  `json:"total_cost_usd"`
		Attempt int      `json:"attempt"` // this one and those below are of retries
		Most    int      `json:"max_retries"`
		Delay   float64  `json:"retry_delay_ms"`
		Refusal int      `json:"error_status"`
		Error   string   `json:"error"`
	}
	if json.Unmarshal(line, &in) != nil {
		return Told{}
	}
	e := Told{Session: in.Session}
	if !agentlog.SessionID().MatchString(e.Session) {
		e.Session = ""
	}
	switch in.Type {
	case "system":
		if in.Subtype == "api_retry" {
			text := in.Error
			if in.Refusal == 0 {
				text = "connection error" // it says nothing else
			}
			e.Retry = &Retry{End{Failed: true, Status: in.Refusal, Text: text}, time.Duration(in.Delay) * time.Millisecond, in.Attempt, in.Most}
		}
	case "assistant":
		e.readBlocks(in.Message.Content)
	case "result":
		// An error of the service has the subtype success, and no login has no error at all.
		text := in.Result
		if text == "" {
			text = strings.Join(in.Errors, "; ")
		}
		e.End = &End{
			Failed:   in.IsError || in.Subtype != "success" || strings.HasPrefix(text, "Not logged in"),
			TurnsOut: in.Subtype == "error_max_turns", Status: in.Status, Text: text, Cost: in.Cost,
		}
	}
	return e
}

// readBlocks takes in the blocks of a message of the model's.
func (e *Told) readBlocks(raw json.RawMessage) {
	var blocks []struct {
		Type  string         `json:"type"`
		Text  string         `json:"text"`
		Name  string         `json:"name"`
		Input map[string]any `json:"input"`
	}
	if json.Unmarshal(raw, &blocks) != nil {
		return
	}
	for _, b := range blocks {
		switch b.Type {
		case "text":
			e.Text += b.Text
		case "tool_use":
			u := Use{Tool: b.Name}
			for _, key := range []string{"file_path", "pattern", "path"} {
				if on, ok := b.Input[key].(string); ok && u.On == "" {
					u.On = on
				}
			}
			e.Uses = append(e.Uses, u)
		}
	}
}
