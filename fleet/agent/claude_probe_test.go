package agent_test

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"

	"ocaptain/fleet/agent"
	"ocaptain/fleet/agent/claudetest"
)

// What the real program says of its troubles is understood.
func TestDiagnoseRealTroubles(t *testing.T) {
	t.Parallel()
	claude, err := agent.Lookup("claude")
	if err != nil {
		t.Fatal(err)
	}
	nowhere := []string{"ANTHROPIC_BASE_URL=http://127.0.0.1:1"}
	for name, tt := range map[string]struct {
		reply   claudetest.Reply
		env     []string
		want    string // of the trouble, "" for none
		passing bool
	}{
		"works":      {reply: claudetest.Say("aye")},
		"nonsense":   {reply: claudetest.Say("I am not logged in to anything, haha.")},
		"bad key":    {reply: claudetest.Fail(401, "authentication_error", "invalid x-api-key"), want: "login of claude is refused"},
		"no login":   {reply: claudetest.Say("aye"), env: []string{"ANTHROPIC_API_KEY="}, want: "login of claude is refused"},
		"forbidden":  {reply: claudetest.Fail(403, "permission_error", "no access"), want: "may not do this"},
		"credit":     {reply: claudetest.Fail(400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API."), want: "has no credit"},
		"limit":      {reply: claudetest.Fail(429, "rate_limit_error", "This request would exceed your limit"), want: "usage limit", passing: true},
		"overloaded": {reply: claudetest.Fail(529, "overloaded_error", "Overloaded"), want: "fails now", passing: true},
		"model":      {reply: claudetest.Fail(404, "not_found_error", "model: x"), want: "cannot use the model"},
		"network":    {reply: claudetest.Say("aye"), env: nowhere, want: "cannot reach its service"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			api := claudetest.Start(t, claudetest.Worker)
			api.Toolless(func(claudetest.Request) claudetest.Reply { return tt.reply })
			c := claude.Headless.Probe(agent.Setup{Home: t.TempDir()})
			cmd := exec.CommandContext(t.Context(), claudetest.Binary(t), c.Args[1:]...)
			cmd.Env = claudetest.Env(t.TempDir(), api, testKey)
			for k, v := range c.Env {
				cmd.Env = append(cmd.Env, k+"="+v)
			}
			cmd.Env = append(cmd.Env, tt.env...)
			cmd.Dir = t.TempDir()
			var said bytes.Buffer
			cmd.Stderr = &said
			out, err := cmd.Output()
			var end *agent.End
			for line := range strings.Lines(string(out)) {
				if e := claude.Headless.Read([]byte(line)); e.End != nil {
					end = e.End
				}
			}
			trouble := claude.Diagnose(end, said.String())
			switch {
			case (trouble != nil) != (tt.want != ""):
				t.Errorf("%v; %v\n%s\n%s", trouble, err, out, said.String())
			case trouble != nil && (!strings.Contains(trouble.Text, tt.want) || trouble.Passing != tt.passing):
				t.Errorf("got %+v", trouble)
			}
			if n := len(api.Log()); n > 2 {
				t.Errorf("the service was asked %d times", n)
			}
		})
	}
}
