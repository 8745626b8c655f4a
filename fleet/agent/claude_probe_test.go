package agent_test

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"

	"ocaptain/fleet/agent"
	"ocaptain/fleet/agent/claudetest"
	"ocaptain/fleet/agent/loopback"
)

// Diagnose understands the errors that the real program prints.
func TestDiagnoseRealTroubles(t *testing.T) {
	t.Parallel()
	claude, err := agent.Lookup("claude")
	if err != nil {
		t.Fatal(err)
	}
	nowhere := []string{"ANTHROPIC_BASE_URL=http://127.0.0.1:1"}
	for name, tt := range map[string]struct {
		reply   loopback.Reply
		env     []string
		want    string // a part of the expected error, "" for no error
		passing bool
	}{
		"works":      {reply: loopback.Say("aye")},
		"nonsense":   {reply: loopback.Say("I am not logged in to anything, haha.")},
		"bad key":    {reply: loopback.Fail(401, "authentication_error", "invalid x-api-key"), want: "login of claude is refused"},
		"no login":   {reply: loopback.Say("aye"), env: []string{"ANTHROPIC_API_KEY="}, want: "login of claude is refused"},
		"forbidden":  {reply: loopback.Fail(403, "permission_error", "no access"), want: "may not do this"},
		"credit":     {reply: loopback.Fail(400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API."), want: "has no credit"},
		"limit":      {reply: loopback.Fail(429, "rate_limit_error", "This request would exceed your limit"), want: "usage limit", passing: true},
		"overloaded": {reply: loopback.Fail(529, "overloaded_error", "Overloaded"), want: "fails now", passing: true},
		"model":      {reply: loopback.Fail(404, "not_found_error", "model: x"), want: "cannot use the model"},
		"network":    {reply: loopback.Say("aye"), env: nowhere, want: "cannot reach its service"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			api := claudetest.Start(t, loopback.Worker)
			api.Toolless(func(loopback.Request) loopback.Reply { return tt.reply })
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
			trouble := claude.Diagnose(end, said.String(), "ANTHROPIC_API_KEY")
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
