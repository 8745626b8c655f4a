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
	taken := state("kite-1", "Taken", map[string]any{Key: "kite-1"})
	const old = `{"id":"kite-1","title":"Taken","status":"open"}` + "\n" + `{"id":"kite-9","title":"Old","status":"open"}` + "\n"
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
		"labels":        {`"title":"Ours"`, `"title":"Ours","labels":["x"]`, ""},
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
			case w.Task != "":
				got = append(got, fmt.Sprintf("%s edits %s: %s, %s", w.Issue, e.Task, e.Subject, e.Description))
			default:
				got = append(got, fmt.Sprintf("%s adds %s, waits for %s", w.Issue, e.Subject, strings.Join(e.BlockedBy, " ")))
			}
		}
		if strings.Join(got, "|") != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
