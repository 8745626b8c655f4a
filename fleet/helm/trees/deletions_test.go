package trees

import (
	"testing"
	"time"
)

// Helm asks when more than half of a tree, or many files within a minute, are deleted.
func TestDeletions(t *testing.T) {
	at := func(sec int) time.Time { return time.Unix(int64(sec), 0) }
	for _, c := range []struct {
		name string
		adds [][3]int // each: second, number of deleted files, number of files before
		want string
	}{
		{"nothing", [][3]int{{0, 0, 100}}, ""},
		{"half", [][3]int{{0, 50, 100}}, ""},
		{"more than half", [][3]int{{0, 51, 100}}, "51 of 100 files went away at once"},
		{"all of few", [][3]int{{0, 19, 19}}, ""},
		{"many", [][3]int{{0, 501, 100_000}}, "501 files went away within a minute"},
		{"many by and by", [][3]int{{0, 300, 100_000}, {59, 201, 100_000}}, "501 files went away within a minute"},
		{"many over time", [][3]int{{0, 300, 100_000}, {60, 300, 100_000}, {120, 300, 100_000}}, ""},
	} {
		var d Deletions
		got := ""
		for _, a := range c.adds {
			got = d.Add(at(a[0]), a[1], a[2])
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
