package transcript

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet/agent/agentlog"

	"ocaptain/fleet/aboard/aboardtest"
	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/proto"
	"ocaptain/tasks/eventually"
)

const (
	sessionA = "11111111-2222-4333-8444-555555555555"
	sessionB = "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee"
)

// diary is a ship with transcripts and with the journal to which a tail writes.
type diary struct {
	t   *testing.T
	dir string
	log *shipdir.Journal
}

func newDiary(t *testing.T) *diary {
	dir := aboardtest.NewShip(t, nil)
	log, err := shipdir.OpenJournal(shipdir.Dir(dir))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(log.Close)
	d := &diary{t, dir, log}
	d.session(sessionA)
	return d
}

func (d *diary) session(id string) {
	d.t.Helper()
	if err := shipdir.WriteFile(shipdir.Dir(d.dir).Session(), id+"\n"); err != nil {
		d.t.Fatal(err)
	}
}

func (d *diary) file(session string) string {
	return filepath.Join(d.dir, ".claude", "projects", "w", session+".jsonl")
}

// write appends lines to a file.
func (d *diary) write(path string, lines ...string) {
	d.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		d.t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		d.t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(strings.Join(lines, "")); err != nil {
		d.t.Fatal(err)
	}
}

// tail starts a tail as the runner does.
func (d *diary) tail() (stop func()) {
	d.t.Helper()
	a, err := agent.Lookup("claude")
	if err != nil {
		d.t.Fatal(err)
	}
	return Follow(shipdir.Dir(d.dir), "/w", a.Transcript, d.log)
}

// once starts a tail, which reads what there is, and stops it.
func (d *diary) once() { d.tail()() }

func (d *diary) lines() string {
	d.t.Helper()
	var all []string
	for _, l := range aboardtest.JournalOf[proto.Log](d.t, d.dir, proto.KindLog) {
		all = append(all, fmt.Sprintf("%d %s %s", l.Turn, l.Kind, l.Text))
	}
	return strings.Join(all, "\n")
}

// usage returns the newest usage in the journal.
func (d *diary) usage() proto.Usage {
	d.t.Helper()
	all := aboardtest.JournalOf[proto.Usage](d.t, d.dir, proto.KindUsage)
	if len(all) == 0 {
		return proto.Usage{}
	}
	return all[len(all)-1]
}

func said(id, text string, out int) string {
	return fmt.Sprintf(`{"type":"assistant","message":{"id":%q,"model":"m","content":[{"type":"text","text":%q}],"usage":{"input_tokens":10,"output_tokens":%d}}}`+"\n", id, text, out)
}

func called(id, call string) string {
	return fmt.Sprintf(`{"type":"assistant","message":{"id":%q,"model":"m","content":[{"type":"tool_use","id":%q,"name":"Bash","input":{"command":"make"}}],"usage":{"input_tokens":10,"output_tokens":5}}}`+"\n", id, call)
}

func side(line string) string {
	return strings.Replace(line, `{"type"`, `{"isSidechain":true,"type"`, 1)
}

// Every entry is reported once, even if lines are torn or copied, the tail is restarted, or files are cut or
// replaced.
func TestTailTellsOnce(t *testing.T) {
	d := newDiary(t)
	own := d.file(sessionA)
	last := said("m2", "Two.", 7)
	d.write(own, said("m1", "One.", 5), called("m1", "t1"), last[:20])
	d.once()
	want := "1 say One.\n1 tool Bash make"
	check := func(what string, turn, messages int, in, out int64) {
		t.Helper()
		if got := d.lines(); got != want {
			t.Errorf("%s: log is\n%s\nwant\n%s", what, got, want)
		}
		u := d.usage()
		if u.Turn != turn || u.Messages != messages || u.Models["m"] != (agentlog.Tokens{Input: in, Output: out}) {
			t.Errorf("%s: usage is %+v", what, u)
		}
	}
	check("torn", 1, 1, 10, 5)
	d.write(own, last[20:])
	d.once()
	want += "\n2 say Two."
	check("whole", 2, 2, 20, 12)

	// A subagent: its answers do not count as turns.
	sub := filepath.Join(strings.TrimSuffix(own, ".jsonl"), "subagents", "agent-1.jsonl")
	d.write(sub, side(said("s1", "Looked.", 1)))
	d.once()
	want += "\n2 say subagent: Looked."
	check("subagent", 2, 3, 30, 13)

	// A fork, which contains copies and new lines, and an answer whose first token count is too low.
	d.session(sessionB)
	d.write(d.file(sessionB), said("m1", "One.", 5), called("m1", "t1"), said("m2", "Two.", 9), said("m3", "Three.", 1))
	d.once()
	want += "\n3 say Three."
	check("fork", 3, 4, 40, 16)

	// The file is cut, and written again under its name.
	if err := os.WriteFile(own, []byte(said("m1", "One.", 5)), 0o600); err != nil {
		t.Fatal(err)
	}
	d.once()
	if err := os.Rename(own, own+".old"); err != nil {
		t.Fatal(err)
	}
	d.write(own, said("m1", "One.", 5), said("m4", "Four.", 1))
	d.once()
	want += "\n4 say Four."
	check("replaced", 4, 5, 50, 17)

	// Later the files are removed.
	if err := os.RemoveAll(filepath.Join(d.dir, ".claude")); err != nil {
		t.Fatal(err)
	}
	d.write(d.file(sessionB), said("m5", "Five.", 1))
	d.once()
	want += "\n5 say Five."
	check("removed", 5, 6, 60, 18)
}

// A tail soon sees what is written while it runs, in whichever file that appears, and does not write the usage for
// every line.
func TestTailFollows(t *testing.T) {
	d := newDiary(t)
	stop := d.tail()
	own := d.file(sessionA)
	d.write(own, said("m0", "Zero.", 1))
	eventually.Holds(t, "the first line", func() bool { return d.lines() == "1 say Zero." })
	began := time.Now()
	for i := 1; i <= 50; i++ {
		line := fmt.Sprint("Line ", i)
		d.write(own, said(fmt.Sprint("m", i), line, 1))
		eventually.Holds(t, line, func() bool { return strings.HasSuffix(d.lines(), "say "+line) })
	}
	d.write(filepath.Join(strings.TrimSuffix(own, ".jsonl"), "subagents", "agent-1.jsonl"), side(said("s1", "Sub.", 1)))
	eventually.Holds(t, "all lines", func() bool { return strings.Count(d.lines(), "\n") == 51 })
	eventually.Holds(t, "the usage", func() bool { return d.usage().Messages == 52 })
	if n, most := len(aboardtest.JournalOf[proto.Usage](t, d.dir, proto.KindUsage)), int(time.Since(began)/UsageEvery)+3; n > most {
		t.Errorf("%d records of usage, want at most %d", n, most)
	}
	d.session(sessionB)
	d.write(d.file(sessionB), said("n1", "Anew.", 1))
	eventually.Holds(t, "another session", func() bool { return strings.HasSuffix(d.lines(), "52 say Anew.") })
	stop()
	if u := d.usage(); u.Messages != 53 || u.Turn != 52 {
		t.Errorf("usage is %+v", u)
	}
}

// Of a flood of lines, all tokens are counted but only some entries are logged. The log says how many were left out.
func TestTailIsBounded(t *testing.T) {
	d := newDiary(t)
	var flood strings.Builder
	for i := range 3 * rationSize {
		flood.WriteString(said(fmt.Sprint("m", i), fmt.Sprint("Line ", i), 1))
	}
	d.write(d.file(sessionA), strings.Repeat("x", 2*agentlog.MaxLine)+"\n", flood.String())
	began := time.Now()
	stop := d.tail()
	eventually.Holds(t, "the usage", func() bool { return d.usage().Messages == 3*rationSize })
	stop()
	refilled := int(time.Since(began).Seconds() * rationRate)
	if n := strings.Count(d.lines(), "\n") + 1; n < rationSize || n > rationSize+refilled+100 {
		t.Errorf("%d lines, and %d more than a ration may be there", n, refilled)
	}
}

// The cost is continued through resume, kill -9, fork and a new session, and nothing is counted twice.
func TestCost(t *testing.T) {
	d := newDiary(t)
	d.once() // makes the directory
	told := func(session string, usd float64) {
		t.Helper()
		Spend(t.Context(), shipdir.Dir(d.dir), Told{Session: session, File: d.file(session), USD: usd})
	}
	saved := func(session string, usd float64) {
		d.write(d.file(session), fmt.Sprintf(`{"type":"cost-state","totalCostUSD":%v}`+"\n", usd))
	}
	for i, step := range []struct {
		session     string
		saves, told float64
		want        float64
	}{
		{sessionA, 0, 0, 0},
		{sessionA, 0, 1, 1},
		{sessionA, 0, 1, 1},
		{sessionA, 0, 1.5, 1.5},
		{sessionA, 0, 0, 1.5},
		{sessionA, 0, 0.5, 2}, // killed, and resumed
		{sessionA, 0.75, 0.75, 2.25},
		{sessionA, 0, 1.75, 3.25}, // ended, and resumed
		{sessionA, 0, 0.75, 3.25},
		{sessionA, 0, 1, 3.5}, // killed, and resumed from the saved cost
		{sessionB, 0, 1, 3.5},
		{sessionB, 0, 1.25, 3.75}, // forked
		{sessionB + "2", 0, 0, 3.75},
		{sessionB + "2", 0, 0.25, 4}, // cleared
		{sessionA, 0, 0.75, 4},
		{sessionA, 0, 1, 4.25}, // an older session
		{sessionA, 0, -1, 4.25},
	} {
		if step.saves > 0 {
			saved(step.session, step.saves)
		}
		told(step.session, step.told)
		if got := Cost(shipdir.Dir(d.dir)); got != step.want {
			t.Errorf("step %d: %v, want %v", i, got, step.want)
		}
	}
	d.once()
	if u := d.usage(); u.CostUSD != 4.25 {
		t.Errorf("usage is %+v", u)
	}
}
