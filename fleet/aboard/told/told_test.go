package told

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write testdata/told.txt anew")

// All that agents are told is read as a whole.
func TestTold(t *testing.T) {
	var b strings.Builder
	for _, role := range []string{"worker", Planner, Validator} {
		for _, tools := range []bool{true, false} {
			a := Agent{role, tools}
			fmt.Fprintf(&b, "%s, tools: %t\n", role, tools)
			for _, row := range [][2]string{
				{"holds", a.Held("3")},
				{"one is ready", a.Ready([]string{"3"})},
				{"more are", a.Ready([]string{"3", "4", "5"})},
				{"some are", a.Ready(nil)},
				{"forgot", a.Rules()},
			} {
				fmt.Fprintf(&b, "  %-12s  %s\n", row[0], row[1])
			}
		}
	}
	const file = "testdata/told.txt"
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || string(want) != b.String() {
		t.Errorf("%v: got\n%s", err, b.String())
	}
}
