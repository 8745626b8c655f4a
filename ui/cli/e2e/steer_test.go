package e2e

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/ui/jsonout/jsonouttest"

	"github.com/google/jsonschema-go/jsonschema"
)

// fitsSchema checks that JSON fits the schema that "ocaptain schema" prints for the command.
func (c *captain) fitsSchema(command, printed string) {
	c.Helper()
	var schema jsonschema.Schema
	if err := json.Unmarshal([]byte(c.ocaptain("schema", command)), &schema); err != nil {
		c.Fatal(err)
	}
	if _, err := jsonouttest.Fits(&schema, printed); err != nil {
		c.Errorf("%s --json: %v", command, err)
	}
}

// TestCommands runs the commands that show a voyage.
func TestCommands(t *testing.T) {
	t.Parallel()
	c := newCaptain(t, "OCAPTAIN_AGENT=script")
	jobs := smallPlan(2, 2, "echo working")
	d := c.sail(c.plan("words", "", smallVerify(4), jobs), "-n", "2", "--agent", "script")
	c.complete(d)
	for _, x := range []struct {
		args string
		want []string
	}{
		{"status", []string{d.ID(), "complete", "ship-0", "ship-1"}},
		{"status --json", []string{`"phase"`, `"ships"`}},
		{"tasks", []string{"Row 0, task 1", "completed"}},
		{"tasks --status pending", nil},
		{"tasks --json", []string{`"Row 1, task 0"`}},
		{"logs", []string{"ship-0", "completed task 4"}},
		{"logs -s ship-1 -n 5", []string{"ship-1"}},
		{"logs -g claimed --role worker", []string{"claimed task 1"}},
		{"diff 3", []string{"r1w0"}},
		{"diff 3 --json", []string{`"patch"`}},
		{"status --all --json", []string{`"phase"`}},
		{"voyages --json", []string{d.ID()}},
		{"needs --json", nil},
		{"cost --json", nil},
		{"logs --json", []string{`"ship"`}},
		{"verify", []string{"pass"}},
		{"verify --json", []string{"pass"}},
		{"doctor", []string{"git", "tmux"}},
		{"helm status", []string{"helm"}},
		{"clone -d mine", []string{"mine"}},
	} {
		out := c.ocaptain(strings.Fields(x.args)...)
		for _, want := range x.want {
			if !strings.Contains(out, want) {
				t.Errorf("ocaptain %s: %q is missing in\n%s", x.args, want, out)
			}
		}
		if command, isJSON := strings.CutSuffix(x.args, " --json"); isJSON {
			c.fitsSchema(strings.Fields(command)[0], out)
		}
		if strings.ContainsAny(out, "\x1b") {
			t.Errorf("ocaptain %s: escapes although NO_COLOR is set and this is no terminal", x.args)
		}
	}
	if got := c.git(filepath.Join(c.home, "mine"), "log", "--oneline"); len(strings.Split(got, "\n")) < 4 {
		t.Errorf("the clone has\n%s", got)
	}
	c.ocaptain("ship", "add")
	c.ocaptain("ship", "rm", "ship-0", "--force")
	b := c.until(d, "two ships", func(b fleet.Board) bool { return len(b.Ships) == 2 })
	if b.Ships[0].Name != "ship-1" || b.Ships[1].Name != "ship-2" {
		t.Errorf("ships are %s and %s", b.Ships[0].Name, b.Ships[1].Name)
	}
	if out, code := c.try("status", "voyage-nonsense"); code == 0 {
		t.Errorf("status of a voyage that is not there: %s", out)
	}
}
