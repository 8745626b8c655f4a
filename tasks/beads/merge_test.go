package beads

import (
	"strings"
	"testing"
)

const (
	early = `"updated_at":"2026-01-31T12:00:00Z"`
	later = `"updated_at":"2026-01-31T13:00:00Z"`
	last  = `"updated_at":"2026-01-31T14:00:00Z"`
)

func TestMerge(t *testing.T) {
	dep := func(on string) string { return `{"issue_id":"a-1","depends_on_id":"` + on + `","type":"blocks"}` }
	one := func(more ...string) string { return `{"id":"a-1","title":"x",` + strings.Join(more, ",") + "}\n" }
	for name, c := range map[string]struct{ base, ours, theirs, want string }{
		"nothing changed":        {one(early), one(early), one(early), one(early)},
		"ours changed":           {one(early), one(later), one(early), one(later)},
		"theirs changed":         {one(early), one(early), one(later), one(later)},
		"both changed":           {one(early), one(later, `"status":"open"`), one(last, `"status":"in_progress"`), one(last, `"status":"in_progress"`)},
		"a tie goes to closed":   {one(early), one(later, `"status":"open"`), one(later, `"status":"closed"`), one(later, `"status":"closed"`)},
		"labels of both":         {one(early), one(later, `"labels":["b"]`), one(last, `"labels":["a"]`), one(last, `"labels":["a","b"]`)},
		"a label taken out":      {one(early, `"labels":["a","b"]`), one(later, `"labels":["a","b","c"]`), one(last, `"labels":["b"]`), one(last, `"labels":["b","c"]`)},
		"the last label":         {one(early, `"labels":["a"]`), one(later), one(last, `"labels":["a"]`), one(last)},
		"dependencies of both":   {one(early), one(later, `"dependencies":[`+dep("a-2")+`]`), one(last, `"dependencies":[`+dep("a-3")+`]`), one(last, `"dependencies":[`+dep("a-3")+","+dep("a-2")+`]`)},
		"dependencies, there":    {one(early), one(later, `"dependencies":[`+dep("a-2")+`]`), one(last), one(last, `"dependencies":[`+dep("a-2")+`]`)},
		"ours added":             {"", one(early), "", one(early)},
		"theirs added":           {"", "", one(early), one(early)},
		"both added others":      {"", `{"id":"a-2","title":"y"}` + "\n", one(early), one(early) + `{"id":"a-2","title":"y"}` + "\n"},
		"ours deleted":           {one(early), "", one(early), ""},
		"theirs deleted":         {one(early), one(early), "", ""},
		"deleted and changed":    {one(early), "", one(later), one(later)},
		"changed and deleted":    {one(early), one(later), "", one(later)},
		"unknown fields":         {one(early), one(later, `"labels":["b"]`, `"own":{"z":1, "a":2}`), one(early, `"labels":["a"]`), one(later, `"labels":["a","b"]`, `"own":{"z":1, "a":2}`)},
		"lines that are none":    {"x\n", "x\ny\n", "z\n", "y\nz\n"},
		"nothing of theirs left": {one(early) + "# mine\n", one(early) + "# mine\n", "", ""},
	} {
		if got := string(Merge([]byte(c.base), []byte(c.ours), []byte(c.theirs))); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, c.want)
		}
	}
}

// A merge gives the same result when ours and theirs are swapped.
func TestMergeEitherWay(t *testing.T) {
	base := string(hand(t))
	ours := strings.Replace(base, `"status":"open","priority":3,"issue_type":"task","created_at":"2024-01-15T10:31:00Z","updated_at":"2024-01-15T10:31:00Z"`,
		`"status":"closed","priority":3,"issue_type":"task","created_at":"2024-01-15T10:31:00Z","updated_at":"2024-01-16T10:31:00Z"`, 1)
	theirs := strings.Replace(base, `"labels":["test"]`, `"labels":["late","test"]`, 1) + `{"id":"captain-1","title":"new"}` + "\n"
	a, b := Merge([]byte(base), []byte(ours), []byte(theirs)), Merge([]byte(base), []byte(theirs), []byte(ours))
	one, other := Read(a), Read(b)
	for _, i := range one.Issues() {
		if string(one.raw(i.ID)) != string(other.raw(i.ID)) {
			t.Errorf("%s is\n%s or\n%s", i.ID, one.raw(i.ID), other.raw(i.ID))
		}
	}
	i := one.Issue("captain-48")
	if len(one.Issues()) != 6 || i.Status != Closed || strings.Join(i.Labels, " ") != "late test" {
		t.Errorf("merged, captain-48 is %+v of %d", i, len(one.Issues()))
	}
}
