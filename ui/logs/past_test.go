package logs

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ocaptain/fleet"
)

// texts returns the lines that ShowExisting shows.
func texts(t *testing.T, d fleet.Dir, q Query, last int) []string {
	t.Helper()
	var got []string
	if _, err := ShowExisting(context.Background(), d, q, last, func(l Line) error {
		got = append(got, l.Words)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return got
}

func matching(pattern string) Query {
	re := regexp.MustCompile(pattern)
	return Query{Keep: func(l Line) bool { return re.MatchString(l.PlainText()) }}
}

// damagedVoyage has lines of all lengths, damaged lines, a line that is too long and an unfinished line.
func damagedVoyage(t testing.TB) fleet.Dir {
	t.Helper()
	d := logVoyage(t)
	for i := range 600 {
		ship := fmt.Sprintf("ship-%d", i%3)
		logged(t, d, ship, line(i, fmt.Sprintf("%d %s", i, strings.Repeat("x", i%700))))
		if i%400 == 0 {
			write(t, d, ship, "damaged\n\n{\"t\":\"2026-03-01T00:00:00Z\",\"text\":\""+strings.Repeat("y", longestLine)+"\"}\n")
		}
	}
	write(t, d, "ship-1", `{"t":"2027-01-01T00:00:00Z","ship":"ship-1","text":"torn`)
	return d
}

// The last n lines equal the end of all lines, for any number, length and filter.
func TestLastLinesAreTheEndOfAll(t *testing.T) {
	d := damagedVoyage(t)
	for _, q := range []Query{{}, {Ships: []string{"ship-1"}}, matching(`7 x`), matching(`^nothing`)} {
		all := texts(t, d, q, -1)
		for _, n := range []int{0, 1, 2, 10, 299, 5000} {
			want := all[max(0, len(all)-n):]
			if got := texts(t, d, q, n); !slices.Equal(got, want) {
				t.Errorf("last %d of %d: got %d lines", n, len(all), len(got))
			}
		}
	}
	if all := texts(t, d, Query{}, -1); len(all) != 600 || all[0] != "0" || !strings.HasPrefix(all[599], "599 ") {
		t.Errorf("%d lines", len(all))
	}
}

// Read backwards, a file has the same lines, for any size of blocks.
func FuzzBackward(f *testing.F) {
	f.Add("one\ntwo\nthree\n", 3)
	f.Add("\n\nx\n", 1)
	f.Add("", 7)
	f.Fuzz(func(t *testing.T, text string, size int) {
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		back := newBackward(strings.NewReader(text), int64(len(text)))
		var got []string
		for {
			back.size = int64(1 + (size&0xff)%40)
			raw, at, err := back.previousLine()
			if err != nil {
				break
			}
			if text[at:at+int64(len(raw))] != string(raw) {
				t.Fatalf("%q is not at %d", raw, at)
			}
			got = append(got, string(raw))
		}
		slices.Reverse(got)
		if text == "" {
			if len(got) > 0 {
				t.Fatalf("got %q", got)
			}
			return
		}
		if want := strings.Split(text, "\n"); !slices.Equal(got, want) {
			t.Fatalf("got %q, want %q", got, want)
		}
	})
}
