package words

import (
	"slices"
	"testing"
)

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  []string
	}{
		{"add --no-color here", 12, []string{"add", "--no-color", "here"}},
		{"see --a-flag-longer-than-a-line", 10, []string{"see", "--a-flag-l", "onger-than", "-a-line"}},
		{"two\nlines", 10, []string{"two", "lines"}},
		{"\x1b[1mbold-face text\x1b[m", 10, []string{"\x1b[1mbold-face", "text\x1b[m"}},
		{"ab", 0, []string{"a", "b"}},
		{"", 5, []string{""}},
	} {
		if got := Wrap(c.text, c.width); !slices.Equal(got, c.want) {
			t.Errorf("%q in %d columns: %q, want %q", c.text, c.width, got, c.want)
		}
	}
}
