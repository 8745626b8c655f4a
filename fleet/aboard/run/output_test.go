package run

import (
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"ocaptain/fleet/agent/agentlog"

	"ocaptain/fleet/aboard/aboardtest"
	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/proto"
	"ocaptain/tasks/eventually"
)

// What an agent prints reaches the terminal and the log as text: the meaning of its JSON, and all other lines
// cleaned, both limited in size.
func TestOutput(t *testing.T) {
	dir := aboardtest.NewShip(t, nil)
	if err := shipdir.WriteJSON(shipdir.Dir(dir).Secrets(), map[string]string{"KEY": "s3cret-0123"}); err != nil {
		t.Fatal(err)
	}
	book, err := shipdir.OpenJournal(shipdir.Dir(dir))
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	gemini, err := agent.Lookup("gemini")
	if err != nil {
		t.Fatal(err)
	}
	var tty strings.Builder
	o := newOutput(book, &tty, gemini.Read, 7)
	var used agentlog.Tokens
	o.used = func(e agentlog.Event) { used = used.Add(e.Tokens) }
	errs := o.stderr()
	for _, piece := range []string{
		`{"type":"init","session_id":"s-1"}` + "\n" + `{"type":"message","role":"assis`,
		`tant","content":"Hel","delta":true}` + "\r\n" + `{"type":"message","role":"assistant","content":"lo s3cret-0123\u001b[2J","delta":true}` + "\n",
		`{"type":"tool_use","tool_name":"sh","parameters":{"command":"ls"}}` + "\n",
		`{"type":"tool_result","status":"success","output":"1\n2\n3\n4\n5\n6\n7\n8"}` + "\n",
		"\x1b[31mno JSON\x1b[0m\x07\n{\"half\": \n",
		strings.Repeat("x", maxRecord+5000) + "\n",
		`{"type":"result","status":"error","error":{"message":"it broke"},"stats":{"input_tokens":5,"cached":1,"output_tokens":2}}`,
	} {
		if _, err := o.Write([]byte(piece)); err != nil {
			t.Fatal(err)
		}
	}
	fmt.Fprint(errs, "to the side")
	errs.flush()
	o.flush()
	screen := tty.String()
	for _, want := range []string{"Hello s3cret-0123\n", "▸ sh ls\n", "  1\n  2\n", "… 2 more lines", "\nno JSON\n", "error: it broke", "to the side"} {
		if !strings.Contains(screen, want) {
			t.Errorf("the terminal misses %q", want)
		}
	}
	if strings.ContainsAny(screen, "\x1b\x07") || len(screen) > 10<<10 {
		t.Errorf("the terminal got %d bytes, or what acts on it", len(screen))
	}
	failed, last := o.result()
	if failed != "it broke" || o.session != "s-1" || used != (agentlog.Tokens{Input: 4, CacheRead: 1, Output: 2}) || !strings.Contains(last, "to the side") {
		t.Errorf("failed %q, session %q, tokens %+v, last %q", failed, o.session, used, last)
	}
	var kinds []string
	for _, l := range aboardtest.JournalOf[proto.Log](t, dir, proto.KindLog) {
		kinds = append(kinds, l.Kind)
		if l.Turn != 7 || len(l.Text) > 5<<10 || strings.Contains(l.Text, "s3cret") || strings.Contains(l.Text, "\x1b") {
			t.Errorf("a record is %+v", l)
		}
	}
	if got := strings.Join(kinds, " "); got != "say tool result out out out out error" {
		t.Errorf("records are %s", got)
	}
}

// A program that prints without end fills neither the log nor the memory.
func TestOutputIsBounded(t *testing.T) {
	dir := aboardtest.NewShip(t, nil)
	book, err := shipdir.OpenJournal(shipdir.Dir(dir))
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	var tty strings.Builder
	o := newOutput(book, &tty, nil, 1)
	for i := range maxLogged + 500 {
		fmt.Fprintf(o, "line %d\n", i)
	}
	logs := aboardtest.JournalOf[proto.Log](t, dir, proto.KindLog)
	if len(logs) != maxLogged || !strings.Contains(logs[len(logs)-1].Text, "the rest is not logged") {
		t.Errorf("%d records, at last %+v", len(logs), logs[len(logs)-1])
	}
	if _, last := o.result(); !strings.HasSuffix(last, fmt.Sprintf("line %d", maxLogged+499)) || strings.Count(last, "·") != keptLines-1 {
		t.Errorf("the last lines are %q", last)
	}
}

// A program that reports totals of a session is not counted twice when the session continues, even with another
// runner. A smaller or nonsensical number takes nothing away.
func TestMeter(t *testing.T) {
	dir := aboardtest.NewShip(t, nil)
	book, err := shipdir.OpenJournal(shipdir.Dir(dir))
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	m := newMeter(shipdir.Dir(dir), book, "", "mine")
	all := func(session string, tokens agentlog.Tokens) {
		m.addEvent(session, agentlog.Event{Tokens: tokens, Whole: true})
	}
	all("a", agentlog.Tokens{Input: 300, CacheRead: 30, Output: 60})
	all("a", agentlog.Tokens{Input: 400, CacheRead: 40, Output: 80})
	m.countTurn()
	m.publish()
	m = newMeter(shipdir.Dir(dir), book, "", "mine")
	all("a", agentlog.Tokens{Input: 410, CacheRead: 35, Output: 80})
	all("b", agentlog.Tokens{Input: 1})
	m.addEvent("c", agentlog.Event{Tokens: agentlog.Tokens{Input: 10, Output: 1, CacheWrite: 7}, Cost: 0.5})
	m.addEvent("c", agentlog.Event{Tokens: agentlog.Tokens{Input: -10, Output: -1}, Cost: -3})
	m.addEvent("c", agentlog.Event{Cost: math.NaN()})
	if n := m.countTurn(); n != 2 {
		t.Errorf("the second turn is %d", n)
	}
	m.publish()
	told := aboardtest.JournalOf[proto.Usage](t, dir, proto.KindUsage)
	want := proto.Usage{Turn: 2, Messages: 5, CostUSD: 0.5, Models: map[string]agentlog.Tokens{"mine": {Input: 421, CacheRead: 40, Output: 81, CacheWrite: 7}}}
	if last := told[len(told)-1]; !last.Equal(want) {
		t.Errorf("in all %+v", last)
	}
	for range 200 {
		m.addEvent("d", agentlog.Event{Tokens: agentlog.Tokens{Input: math.MaxInt64, Output: math.MaxInt64}})
	}
	if got := m.state.Usage.Models["mine"]; got.Input != mostSum || got.CacheRead != 40 {
		t.Errorf("after nonsense %+v", got)
	}
}

// Every answer of the model is counted, even if its tool printed nothing or failed. The count is published soon, whatever the
// agent does next.
func TestAnswersAreCounted(t *testing.T) {
	const ran = `{"type":"item.started","item":{"type":"command_execution","command":"true"}}` + "\n" + `{"type":"item.completed","item":{"type":"command_execution","command":"true","aggregated_output":"","exit_code":0}}`
	for _, tt := range []struct {
		agent, prints string
		want          int
	}{
		{"codex", strings.Repeat(ran+"\n", 3), 3},
		{"codex", strings.Repeat(strings.ReplaceAll(ran, `code":0`, `code":1`)+"\n", 3), 3},
		{"codex", strings.Repeat(`{"type":"item.completed","item":{"type":"file_change","changes":[{"path":"a","kind":"add"}]}}`+"\n", 3), 3},
		{"codex", strings.Repeat(`{"type":"item.completed","item":{"type":"web_search","query":"a"}}`+"\n", 3), 3},
		{"codex", strings.Repeat(`{"type":"item.started","item":{"type":"mcp_tool_call","tool":"a"}}`+"\n"+`{"type":"item.completed","item":{"type":"mcp_tool_call","tool":"a"}}`+"\n", 3), 3},
		{"codex", `{"type":"item.completed","item":{"type":"agent_message","text":"I begin."}}` + "\n" + ran + "\n", 1},
		{"gemini", strings.Repeat(`{"type":"tool_use","tool_name":"sh"}`+"\n"+`{"type":"tool_result","status":"success","output":""}`+"\n", 3), 3},
		{"gemini", strings.Repeat(`{"type":"tool_use","tool_name":"sh"}`+"\n"+`{"type":"tool_result","status":"error"}`+"\n", 3), 3},
		{"opencode", strings.Repeat(`{"type":"tool_use","part":{"tool":"bash","state":{"status":"completed"}}}`+"\n", 3), 3},
		{"copilot", strings.Repeat(`{"type":"tool.execution_start","data":{"toolName":"bash"}}`+"\n"+`{"type":"tool.execution_complete","data":{}}`+"\n", 3), 3},
		{"amp", strings.Repeat(`{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Bash"}]}}`+"\n"+`{"type":"user","message":{"content":[{"type":"tool_result"}]}}`+"\n", 3), 3},
	} {
		t.Run(tt.agent, func(t *testing.T) {
			t.Parallel()
			dir := aboardtest.NewShip(t, nil)
			book, err := shipdir.OpenJournal(shipdir.Dir(dir))
			if err != nil {
				t.Fatal(err)
			}
			defer book.Close()
			a, err := agent.Lookup(tt.agent)
			if err != nil {
				t.Fatal(err)
			}
			o := newOutput(book, io.Discard, a.Read, 1)
			o.next = newMeter(shipdir.Dir(dir), book, "", tt.agent).countTurn
			if _, err := io.WriteString(o, tt.prints); err != nil {
				t.Fatal(err)
			}
			last := 0
			told := func() bool {
				for _, u := range aboardtest.JournalOf[proto.Usage](t, dir, proto.KindUsage) {
					last = u.Turn
				}
				return last >= tt.want
			}
			eventually.Holds(t, fmt.Sprintf("%d answers told", tt.want), told)
			if last != tt.want {
				t.Errorf("counted %d times, want %d:\n%s", last, tt.want, tt.prints)
			}
		})
	}
}
