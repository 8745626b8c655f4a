package agent

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"ocaptain/fleet/agent/agentlog"
)

var claudeHeadless = &Headless{Plan: claudePlan, Probe: claudeProbe, Read: readClaude}

// claudePlan runs on the captain's machine, in a repository that may be hostile. So it bypasses no permission: the
// agent has no tool that runs commands; its file tools reach only the repository and the draft, and write only to the
// draft; whatever would ask is refused; and it reads no settings, hooks or servers of the repository.
func claudePlan(p Planning) []string {
	args := []string{
		p.Program, "-p", "--output-format", "stream-json", "--verbose", "--max-turns", strconv.Itoa(p.Turns),
		"--restricted", "--strict-mcp-config", "--permission-mode", "dontAsk", "--permission-prompts", "none",
		"--tools", "Read,Glob,Grep,Write,Edit", "--add-dir", p.Draft,
		// A rule for Edit covers all tools that write; two slashes begin an absolute path.
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

// claudeProbe asks for one word, without tools, and keeps no session.
func claudeProbe(s Setup) Command {
	args := []string{
		"claude", "-p", "--output-format", "stream-json", "--verbose", "--max-turns", "1", "--no-session-persistence",
		"--setting-sources", "user", "--strict-mcp-config", "--disable-slash-commands", "--tools", "",
	}
	if s.Model != "" {
		args = append(args, "--model", s.Model)
	}
	env := claudeEnv(s)
	env["CLAUDE_CODE_MAX_RETRIES"] = "1" // few, since this is only a probe
	return Command{Args: append(args, "--", ProbePrompt), Env: env}
}

// ProbePrompt is the prompt of a probe.
const ProbePrompt = "This only tests the connection. Answer with the one word: aye"

// readClaude decodes a line of --output-format stream-json.
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
		Attempt int      `json:"attempt"` // this and the next fields are those of a retry
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
				text = "connection error" // it gives no other reason
			}
			e.Retry = &Retry{End{Failed: true, Status: in.Refusal, Text: text}, time.Duration(in.Delay) * time.Millisecond, in.Attempt, in.Most}
		}
	case "assistant":
		e.readBlocks(in.Message.Content)
	case "result":
		// An error of the service has the subtype success. A missing login has no error at all.
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

// readBlocks adds the blocks of a message of the model.
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
