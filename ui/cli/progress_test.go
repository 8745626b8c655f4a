package cli

import (
	"bytes"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"ocaptain/fleet/helm/api"
)

var newsOfSail = []api.Progress{
	{Step: "repository", State: api.StepStarted, Text: "none"},
	{Step: "repository", State: api.StepDone, Took: 2 * time.Second},
	{Ship: "ship-0", Step: "create", State: api.StepStarted},
	{Ship: "ship-1", Step: "create", State: api.StepStarted},
	{Ship: "ship-0", Step: "create", State: api.StepNote, Text: "not confined: no \x1b[31mbubblewrap"},
	{Ship: "ship-0", Step: "create", State: api.StepDone, Took: 1200 * time.Millisecond},
	{Ship: "ship-1", Step: "create", State: api.StepFailed, Text: "no room\nand more"},
	{Text: "one ship of two sails"},
}

func TestProgressInLines(t *testing.T) {
	var out bytes.Buffer
	r := &reporter{out: plainWriter{&out}, line: map[string]string{}}
	for _, p := range newsOfSail {
		r.report(p)
	}
	want := `◌ repository: none
✓ repository 2.0s
  ship-0   create: not confined: no bubblewrap
✓ ship-0   create 1.2s
✗ ship-1   create failed: no room
  one ship of two sails
`
	if out.String() != want {
		t.Errorf("got\n%s", out.String())
	}
}

// On a terminal each ship keeps one line, below all lines that stay.
func TestProgressOnATerminal(t *testing.T) {
	var out bytes.Buffer
	r := &reporter{out: &out, live: true, width: 40, line: map[string]string{}}
	for _, p := range newsOfSail {
		r.report(p)
	}
	screen := []string{}
	for rest := out.Bytes(); len(rest) > 0; { // emulates a terminal
		line, after, _ := bytes.Cut(rest, []byte("\n"))
		for {
			up := bytes.Index(line, []byte("A\x1b[J"))
			if up < 0 {
				break
			}
			screen = screen[:len(screen)-int(line[up-1]-'0')]
			line = line[up+4:]
		}
		screen, rest = append(screen, ansi.Strip(string(line))), after
	}
	want := []string{
		"◌ repository: none", "✓ repository 2.0s", "  ship-0   create: not confined: no bub…", "  one ship of two sails",
		"✓ ship-0   create 1.2s", "✗ ship-1   create failed: no room",
	}
	if len(screen) != len(want) {
		t.Fatalf("got %q", screen)
	}
	for i := range want {
		if screen[i] != want[i] {
			t.Errorf("line %d: %q, want %q", i, screen[i], want[i])
		}
	}
}
