package agentlog

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// answerLine returns a line of an answer as Claude Code writes it.
func answerLine(id, block string, in, out int) string {
	return fmt.Sprintf(`{"parentUuid":"86de","isSidechain":false,"message":{"id":%q,"type":"message","role":"assistant","model":"claude-opus-5-5","content":[%s],`+
		`"stop_reason":"tool_use","usage":{"input_tokens":%d,"cache_creation_input_tokens":10,"cache_read_input_tokens":2000,"output_tokens":%d}},"requestId":"req_1","type":"assistant","uuid":"3d4b"}`,
		id, block, in, out)
}

func resultLine(call, content string, failed bool) string {
	return fmt.Sprintf(`{"type":"user","isSidechain":false,"message":{"role":"user","content":[{"tool_use_id":%q,"type":"tool_result","content":%s,"is_error":%t}]},"toolUseResult":{"x":1}}`, call, content, failed)
}

// Lines of every kind are decoded to the right step.
func TestClaudeLines(t *testing.T) {
	for _, c := range []struct {
		name, before, line string
		want               string
	}{
		{"text", "", answerLine("m1", `{"type":"text","text":"I read.\n\nThen more."}`, 100, 42), "m1 100/42/2000/10 [say: I read.\n\nThen more.]"},
		{"long text", "", answerLine("m1", `{"type":"text","text":"1\n2\n3\n4\n5\n6\n7"}`, 1, 1), "m1 1/1/2000/10 [say: 1\n2\n3\n4\n5 …]"},
		{"thinking", "", answerLine("m1", `{"type":"thinking","thinking":"hm"}`, 1, 1), "m1 1/1/2000/10 []"},
		{"call", "", answerLine("m1", `{"type":"tool_use","id":"t1","name":"Read","input":{"file_path":"/w/src/auth.go"}}`, 1, 1), "m1 1/1/2000/10 [tool: Read src/auth.go]"},
		{"odd call", "", answerLine("m1", `{"type":"tool_use","id":"t1","name":"Read","input":["x"]}`, 1, 1), "m1 1/1/2000/10 [tool: Read]"},
		{"impossible usage", "", answerLine("m1", `{"type":"text","text":"x"}`, -5, 1), "m1 0/1/2000/10 [say: x]"},
		{"result", "", resultLine("t1", `"ok  auth 0.4s\nok  db 1s\n"`, false), " [result: ok  auth 0.4s (+1 line)]"},
		{"result in pieces", "", resultLine("t1", `[{"type":"image"},{"type":"text","text":"fine"}]`, false), " [result: fine]"},
		{"quiet result", answerLine("m1", `{"type":"tool_use","id":"t1","name":"Read","input":{}}`, 1, 1), resultLine("t1", `"1\tpackage x"`, false), " []"},
		{
			"failure", answerLine("m1", `{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"make"}}`, 1, 1),
			resultLine("t1", `"Exit code 2\nmake: no rule"`, true), " [error: Bash make: Exit code 2\nmake: no rule]",
		},
		{"refused call", "", resultLine("t1", `"<tool_use_error>not found</tool_use_error>"`, true), " [error: not found]"},
		{
			"API error", "", `{"type":"assistant","message":{"id":"u1","model":"<synthetic>","content":[{"type":"text","text":"Credit balance is too low"}],"usage":{"input_tokens":0}},"isApiErrorMessage":true,"error":"billing_error"}`,
			" [error: Credit balance is too low]",
		},
		{"placeholder", "", `{"type":"assistant","message":{"id":"u1","model":"<synthetic>","content":[{"type":"text","text":"No response requested."}]},"isApiErrorMessage":false}`, " []"},
		{"subagent", "", strings.Replace(answerLine("m2", `{"type":"text","text":"x"}`, 1, 1), `"isSidechain":false`, `"isSidechain":true,"agentId":"a"`, 1), "m2 1/1/2000/10 sub [say: x]"},
		{"prompt", "", `{"type":"user","message":{"role":"user","content":"Do it."}}`, " []"},
		{"end of turn", "", `{"type":"system","subtype":"turn_duration","durationMs":4}`, " over []"},
		{"copy of a request", "", `{"type":"api-request-blob","content":[{"type":"tool_result","content":"x"}]}`, " []"},
		{"torn", "", `{"type":"assistant","message":{"id":"m1"`, " []"},
		{"not an object", "", `["assistant"]`, " []"},
		{"other numbers", "", `{"type":"assistant","message":{"id":"m1","usage":{"input_tokens":1e400}}}`, " []"},
	} {
		r := newClaudeReader("/w")
		r.readLine([]byte(c.before))
		if got := shown(r.readLine([]byte(c.line))); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func shown(s Step) string {
	out := s.Message
	if s.Message != "" {
		out += fmt.Sprintf(" %d/%d/%d/%d", s.Tokens.Input, s.Tokens.Output, s.Tokens.CacheRead, s.Tokens.CacheWrite)
	}
	if s.Sub {
		out += " sub"
	}
	if s.Over {
		out += " over"
	}
	var entries []string
	for _, e := range s.Entries {
		entries = append(entries, e.Kind+": "+e.Text)
	}
	return out + " [" + strings.Join(entries, "|") + "]"
}

// ReadLines returns whole lines, whatever the sizes of lines and reads, and leaves out lines that are too long.
func TestLines(t *testing.T) {
	long := strings.Repeat("x", MaxLine)
	for _, c := range []struct {
		in   string
		want []int // lengths of the lines read
		n    int
	}{
		{"", nil, 0},
		{"a\nbc\n\n", []int{1, 2, 0}, 6},
		{"a\ntorn", []int{1}, 2},
		{"a\n" + long[1:] + "\nb\n", []int{1, MaxLine - 1, 1}, MaxLine + 4},
		{"a\n" + long + "\nb\n", []int{1, 1}, MaxLine + 5},
		{"a\n" + long + long, []int{1}, 2 + 2*MaxLine},
		{"a\n" + strings.Repeat("y", 100_000) + "\n" + strings.Repeat("z", 100_000), []int{1, 100_000}, 100_003},
	} {
		var got []int
		n, err := ReadLines(strings.NewReader(c.in), func(line []byte) { got = append(got, len(line)) })
		if err != nil || n != int64(c.n) || !slices.Equal(got, c.want) {
			t.Errorf("%.10q of %d: %v, %d, %v", c.in, len(c.in), got, n, err)
		}
	}
}

// Files finds the files of a session and of its subagents in all directories.
func TestClaudeFiles(t *testing.T) {
	home := filepath.Join(t.TempDir(), "a[b]*")
	const id = "11111111-2222-4333-8444-555555555555"
	dir := filepath.Join(home, ".claude", "projects", "-w-my-repo")
	own, sub := filepath.Join(dir, id+".jsonl"), filepath.Join(dir, id, "subagents", "agent-1.jsonl")
	deep := filepath.Join(dir, id, "subagents", "workflows", "w1", "agent-2.jsonl")
	for _, path := range []string{own, sub, deep, filepath.Join(filepath.Dir(deep), "journal.jsonl"), filepath.Join(dir, "other.jsonl")} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := claudeFiles(home, id); !slices.Equal(got, []string{own, sub, deep}) {
		t.Errorf("files are %q", got)
	}
	if got := claudeFiles(home, "../"+id); got != nil {
		t.Errorf("files are %q", got)
	}
	want := []string{filepath.Dir(dir), dir, filepath.Dir(sub), filepath.Dir(deep)}
	if got := claudeDirs(home, "/w/my.repo", id); !slices.Equal(got, want) {
		t.Errorf("directories are %q", got)
	}
	if got := claudeDirs(home, "/w/other", ""); len(got) != 2 {
		t.Errorf("directories are %q", got)
	}
}

func TestClaudeSavedCost(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.jsonl")
	text := `{"type":"cost-state","totalCostUSD":1.5}` + "\n" + `{"type":"user","message":{"content":"cost-state"}}` + "\n" + `{"type":"cost-state","totalCostUSD":2.5}` + "\n" + `{"type":"cost-state","totalCo`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := ClaudeSavedCost(path); got != 2.5 {
		t.Errorf("saved are %v", got)
	}
	if got := ClaudeSavedCost(path + "x"); got != 0 {
		t.Errorf("saved are %v", got)
	}
}

// FuzzClaudeTranscript checks that what is read of any file is bounded in size and valid.
func FuzzClaudeTranscript(f *testing.F) {
	f.Add([]byte(answerLine("m1", `{"type":"text","text":"hi"}`, 1, 2) + "\n" + resultLine("t1", `"x"`, true)))
	f.Add([]byte(answerLine("m1", `{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"make\nmore"}}`, 1, 2)))
	f.Add([]byte(`{"type":"assistant","message":{"id":1,"content":"x","usage":{"input_tokens":-1}}}`))
	f.Add([]byte("{\"type\":\"user\",\"message\":{\"content\":[{\"type\":\"tool_result\",\"content\":[[]]}]}}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := newClaudeReader("/w")
		n, err := ReadLines(bytes.NewReader(data), func(line []byte) {
			s := r.readLine(line)
			if len(s.Message) > 300 || len(s.Model) > 200 || min(s.Tokens.Input, s.Tokens.Output, s.Tokens.CacheRead, s.Tokens.CacheWrite) < 0 || s.Tokens.Sum() > 4*maxCount {
				t.Errorf("step is %+v", s)
			}
			for _, e := range s.Entries {
				if len(e.Text) > 1500 || e.Kind == "" || e.Key == "" {
					t.Errorf("entry is %+v", e)
				}
			}
		})
		if err != nil || n > int64(len(data)) {
			t.Errorf("read %d of %d, %v", n, len(data), err)
		}
	})
}

// BenchmarkClaudeTranscript reads a file like a real one, in which most bytes are copies of requests.
func BenchmarkClaudeTranscript(b *testing.B) {
	var file bytes.Buffer
	blob := strings.Repeat(`{"type":"text","text":"<system-reminder>\nThe rules.\n"},`, 1500)
	rest := strings.Repeat(`,"server_tool_use":{"web_search_requests":0},"service_tier":"standard"`, 8)
	for i := range 50 {
		fmt.Fprintf(&file, "{\"type\":\"attachment\",\"content\":[%s{}]}\n", blob)
		for j := range 8 {
			call := fmt.Sprintf("t%d-%d", i, j)
			file.WriteString(answerLine("m"+call, `{"type":"tool_use","id":"`+call+`","name":"Bash","input":{"command":"go test ./..."}`+rest+`}`, 1, 1) + "\n")
			file.WriteString(resultLine(call, `"`+strings.Repeat(`ok  \tpackage 0.1s\n`, 50)+`"`, false) + "\n")
		}
	}
	b.SetBytes(int64(file.Len()))
	b.ReportAllocs()
	for b.Loop() {
		r := newClaudeReader("/w")
		if _, err := ReadLines(bytes.NewReader(file.Bytes()), func(line []byte) { r.readLine(line) }); err != nil {
			b.Fatal(err)
		}
	}
}
