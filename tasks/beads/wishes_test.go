package beads

import (
	"fmt"
	"strings"
	"testing"

	"ocaptain/tasks"
)

func TestWishes(t *testing.T) {
	s := session()
	ours, done := state("1", "Ours", nil), state("2", "Done", nil)
	done.Status = tasks.Completed
	taken := state("kite-1", "Taken", map[string]any{Key: "kite-1", "priority": 0.0})
	const old = `{"id":"kite-1","title":"Taken","status":"open"}` + "\n" + `{"id":"kite-8","title":"Shut","status":"closed"}` + "\n" + `{"id":"kite-9","title":"Old","status":"open"}` + "\n"
	all := []*tasks.State{ours, done, taken}
	f := Read([]byte(old))
	s.Put(f, all, noon)
	written := string(f.Bytes())
	id := s.id(ours)
	for name, c := range map[string]struct{ from, to, want string }{
		"nothing":       {"", "", ""},
		"closed":        {`"title":"Ours","status":"open"`, `"title":"Ours","status":"closed","close_reason":"no"`, id + " closes 1: no"},
		"closed, taken": {`"title":"Taken","status":"open"`, `"title":"Taken","status":"closed"`, "kite-1 closes kite-1: "},
		"other words":   {`"title":"Ours"`, `"title":"Theirs","description":"more","acceptance_criteria":"it is"`, id + " edits 1: Theirs, more" + tasks.AcceptedWhen("it is")},
		"labels":        {`"title":"Ours"`, `"title":"Ours","labels":["x","group:g"]`, id + " edits 1: , , labels [x]"},
		"priority":      {`"open","priority":2`, `"open","priority":0`, id + " edits 1: , , priority 0"},
		"taken, urgent": {`"title":"Taken"`, `"title":"Taken","priority":3,"labels":["x"]`, "kite-1 edits kite-1: , , priority 3, labels [x]"},
		"reopened":      {`"title":"Done","status":"closed"`, `"title":"Done","status":"open"`, s.id(done) + " is opened after 2: Done"},
		"an old closed": {`"title":"Shut","status":"closed"`, `"title":"Shut","status":"open"`, "kite-8 is opened after : Shut"},
		"done":          {`"title":"Done"`, `"title":"Other"`, ""},
		"an old one":    {`"title":"Old"`, `"title":"Older"`, ""},
		"added":         {"{", `{"id":"kite-0","title":"New","dependencies":[{"depends_on_id":"` + id + `","type":"blocks"}]}` + "\n{", "kite-0 adds New, waits for 1"},
		"added, closed": {"{", `{"id":"kite-0","title":"New","status":"closed"}` + "\n{", ""},
	} {
		var got []string
		for _, w := range s.Wishes(Read([]byte(strings.Replace(written, c.from, c.to, 1))), Read([]byte(old)), all, noon) {
			switch e := w.Edit; {
			case w.Close:
				got = append(got, fmt.Sprintf("%s closes %s: %s", w.Issue, w.Task, w.Why))
			case w.Reopened:
				got = append(got, fmt.Sprintf("%s is opened after %s: %s", w.Issue, w.Task, e.Subject))
			case w.Task != "":
				text := fmt.Sprintf("%s edits %s: %s, %s", w.Issue, e.Task, e.Subject, e.Description)
				if e.Priority != nil {
					text += fmt.Sprint(", priority ", *e.Priority)
				}
				if e.Labels != nil {
					text += fmt.Sprint(", labels ", *e.Labels)
				}
				got = append(got, text)
			default:
				got = append(got, fmt.Sprintf("%s adds %s, waits for %s", w.Issue, e.Subject, strings.Join(e.BlockedBy, " ")))
			}
		}
		if strings.Join(got, "|") != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
