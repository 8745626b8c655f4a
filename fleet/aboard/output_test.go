package aboard

import (
	"fmt"
	"strings"
	"testing"

	"ocaptain/fleet/agent"
)

// What an agent prints gets to the terminal and the log in words: JSON as it was meant,
// the rest as clean text, everything bounded.
func TestOutput(t *testing.T) {
	dir := newShip(t, nil)
	if err := writeJSON(home(dir).secrets(), map[string]string{"KEY": "s3cret-0123"}); err != nil {
		t.Fatal(err)
	}
	book, err := openLogbook(home(dir))
	if err != nil {
		t.Fatal(err)
	}
	defer book.close()
	gemini, err := agent.Lookup("gemini")
	if err != nil {
		t.Fatal(err)
	}
	var tty strings.Builder
	o := newOutput(book, &tty, gemini.Read, 7)
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
	failed, last := o.end()
	if failed != "it broke" || o.session != "s-1" || o.tokens != (agent.Tokens{Input: 4, CacheRead: 1, Output: 2}) || !strings.Contains(last, "to the side") {
		t.Errorf("failed %q, session %q, tokens %+v, last %q", failed, o.session, o.tokens, last)
	}
	var kinds []string
	for _, l := range journalOf[Log](t, dir, KindLog) {
		kinds = append(kinds, l.Kind)
		if l.Turn != 7 || len(l.Text) > 5<<10 || strings.Contains(l.Text, "s3cret") || strings.Contains(l.Text, "\x1b") {
			t.Errorf("a record is %+v", l)
		}
	}
	if got := strings.Join(kinds, " "); got != "say tool result out out out out error" {
		t.Errorf("records are %s", got)
	}
}

// A program that never stops printing fills neither the log nor the memory.
func TestOutputIsBounded(t *testing.T) {
	dir := newShip(t, nil)
	book, err := openLogbook(home(dir))
	if err != nil {
		t.Fatal(err)
	}
	defer book.close()
	var tty strings.Builder
	o := newOutput(book, &tty, nil, 1)
	for i := range maxLogged + 500 {
		fmt.Fprintf(o, "line %d\n", i)
	}
	logs := journalOf[Log](t, dir, KindLog)
	if len(logs) != maxLogged || !strings.Contains(logs[len(logs)-1].Text, "the rest is not logged") {
		t.Errorf("%d records, at last %+v", len(logs), logs[len(logs)-1])
	}
	if _, last := o.end(); !strings.HasSuffix(last, fmt.Sprintf("line %d", maxLogged+499)) || strings.Count(last, "·") != keptLines-1 {
		t.Errorf("the last lines are %q", last)
	}
}

// A program that counts its whole session is not counted twice when that goes on.
func TestMeter(t *testing.T) {
	var m meter
	m.add("a", agent.Tokens{Input: 300, CacheRead: 30, Output: 60}, true)
	if used := m.add("a", agent.Tokens{Input: 400, CacheRead: 40, Output: 80}, true); used != (agent.Tokens{Input: 100, CacheRead: 10, Output: 20}) {
		t.Errorf("used %+v", used)
	}
	m.add("b", agent.Tokens{Input: 1}, true)
	m.add("c", agent.Tokens{Input: 10, Output: 1}, false)
	if m.sum != (agent.Tokens{Input: 411, CacheRead: 40, Output: 81}) {
		t.Errorf("in all %+v", m.sum)
	}
}
