package agent

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ocaptain/fleet/agent/agentlog"
)

// TestRead reads files with the recorded output of each program, run against a model on loopback.
func TestRead(t *testing.T) {
	tried := map[string]bool{amp.Name: true} // which works with an account alone: TestReadAmp
	for _, tt := range []struct {
		agent   Agent
		want    string
		session string
		tokens  agentlog.Tokens
	}{
		{
			codex, "note Model metadata|say I begin.|tool /bin/bash -lc 'echo hello; echo two'|result hello\ntwo|tool /bin/bash -lc 'echo oops >&2; false'|error exit code 1\noops|say Done with turn 1: two lines\nof text.",
			"01a1ff8b-a851-7761-aff5-aa5fe51ff6a6",
			agentlog.Tokens{Input: 270, Output: 60, CacheRead: 30},
		},
		{
			gemini, "say I begin.|tool run_shell_command echo hello; echo two|result hello\ntwo|tool run_shell_command echo oops >&2; false|result oops|say Done with turn 1: two lines\nof text.",
			"1cb916db-26aa-40f2-86b5-1ba81b225fd2",
			agentlog.Tokens{Input: 270, Output: 60, CacheRead: 30},
		},
		{
			opencode, "say I begin.|tool bash echo hello; echo two|result hello\ntwo|tool bash echo oops >&2; false|error exit code 1\noops|say Done with turn 1: two lines\nof text.",
			"ses_e007434a1ffe4rFscwEcf5TcNf",
			agentlog.Tokens{Input: 270, Output: 60, CacheRead: 30},
		},
		{
			copilot, "say I begin.|tool bash echo hello; echo two|result hello\ntwo\n<shellId: 0 completed with exit code 0>|tool bash echo oops >&2; false|error exit code 1\noops\n<shellId: 1 completed with exit code 1>|say Done with turn 1: two lines\nof text.",
			"0cb916db-26aa-40f2-86b5-1ba81b225fd3",
			agentlog.Tokens{},
		},
	} {
		tried[tt.agent.Name] = true
		t.Run(tt.agent.Name, func(t *testing.T) {
			raw, err := os.ReadFile(filepath.Join("testdata", tt.agent.Name+".jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			var session string
			var sum agentlog.Tokens
			for line := range strings.Lines(string(raw)) {
				events, ok := tt.agent.Read([]byte(line))
				if !ok {
					t.Errorf("not read: %s", line)
				}
				for _, e := range events {
					if e.Kind != "" {
						got = append(got, e.Kind+" "+strings.TrimSpace(e.Text))
					}
					if e.Session != "" {
						session = e.Session
					}
					if e.Failed != "" {
						t.Errorf("a good turn failed: %s", e.Failed)
					}
					sum = sum.Add(e.Tokens)
				}
			}
			want := strings.Split(tt.want, "|")
			if len(got) != len(want) {
				t.Fatalf("got %q", got)
			}
			for i := range want {
				if got[i] != want[i] && (i > 0 || !strings.HasPrefix(got[i], want[i])) {
					t.Errorf("event %d is %q, want %q", i, got[i], want[i])
				}
			}
			if session != tt.session || sum != tt.tokens {
				t.Errorf("session %q, tokens %+v", session, sum)
			}
		})
	}
	for _, a := range all {
		if a.Turns && !tried[a.Name] {
			t.Errorf("no case of this test reads what %s prints: record it in testdata/%s.jsonl, and add one", a.Name, a.Name)
		}
	}
}

// A failed turn is recognised whatever its exit code. Its words tell a missing key and a usage limit from other
// failures.
func TestReadFailures(t *testing.T) {
	for _, tt := range []struct {
		agent      Agent
		line       string
		failed     string
		key, limit bool
	}{
		{codex, `{"type":"turn.failed","error":{"message":"unexpected status 401 Unauthorized: no"}}`, "401", true, false},
		{codex, `{"type":"turn.failed","error":{"message":"exceeded retry limit, last status: 429 Too Many Requests"}}`, "429", false, true},
		{gemini, `{"type":"result","status":"error","error":{"type":"Error","message":"API key not valid. Please pass a valid API key."},"stats":{}}`, "not valid", true, false},
		{opencode, `{"type":"error","sessionID":"ses_1","error":{"name":"APIError","data":{"message":"Incorrect API key provided","statusCode":401}}}`, "status 401", true, false},
		{opencode, `{"type":"error","error":{"name":"UnknownError","data":{}}}`, "UnknownError", false, false},
		{copilot, `{"type":"session.error","data":{"errorType":"query","message":"quota exceeded"}}`, "quota", false, true},
		{amp, `{"type":"result","subtype":"error_during_execution","is_error":true,"error":"overloaded","session_id":"T-1"}`, "overloaded", false, true},
	} {
		events, ok := tt.agent.Read([]byte(tt.line))
		var failed string
		for _, e := range events {
			failed += e.Failed
		}
		if !ok || !strings.Contains(failed, tt.failed) || agentlog.NeedsKey(failed) != tt.key || agentlog.Limited(failed) != tt.limit {
			t.Errorf("%s: %s: failed %q, key %v, limit %v", tt.agent.Name, tt.line, failed, agentlog.NeedsKey(failed), agentlog.Limited(failed))
		}
	}
	for _, words := range []string{
		"Please set an Auth method in your /h/.gemini/settings.json or specify one of", "Error: No authentication information found.",
		"No API key found. Starting login flow...",
	} {
		if !agentlog.NeedsKey(words) {
			t.Errorf("%q is not taken for a missing key", words)
		}
	}
}

// According to its help, Amp's events are those of Claude Code's stream-json.
func TestReadAmp(t *testing.T) {
	var got []string
	for _, line := range []string{
		`{"type":"system","subtype":"init","session_id":"T-0cb916db-26aa-40f2-86b5-1ba81b225fd2"}`,
		`{"type":"user","message":{"content":[{"type":"text","text":"a prompt"}]}}`,
		`{"type":"assistant","message":{"content":[{"type":"text","text":"I begin."},{"type":"tool_use","name":"Bash","input":{"cmd":"ls"}}],"usage":{"input_tokens":5,"cache_read_input_tokens":3,"output_tokens":2}}}`,
		`{"type":"user","message":{"content":[{"type":"tool_result","content":[{"text":"a"},{"text":"b"}]},{"type":"tool_result","is_error":true,"content":"no"}]}}`,
		`{"type":"result","subtype":"success","is_error":false,"result":"I begin."}`,
	} {
		events, _ := readAmp([]byte(line))
		for _, e := range events {
			if e.Kind != "" {
				got = append(got, e.Kind+" "+e.Text)
			}
		}
	}
	if s := strings.Join(got, "|"); s != "say I begin.|tool Bash ls|result ab|error no" {
		t.Errorf("got %s", s)
	}
}

// FuzzRead feeds every reader any output of a hostile program.
func FuzzRead(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.jsonl")
	for _, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for line := range strings.Lines(string(raw)) {
			f.Add([]byte(line))
		}
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		for _, a := range append(slices.Clone(all), Agent{Read: readPlain}) {
			if a.Read == nil {
				continue
			}
			events, _ := a.Read(line)
			for _, e := range events {
				if len(e.Text) > agentlog.MaxText+8 || len(e.Failed) > agentlog.MaxText+8 {
					t.Errorf("an event of %d bytes", len(e.Text))
				}
			}
		}
	})
}
