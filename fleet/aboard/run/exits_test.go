package run

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"ocaptain/fleet/aboard/aboardtest"
	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/clean/cleantest"
)

// Of what an agent without a screen of its own prints, only plain text reaches the ship's terminal.
func TestExits(t *testing.T) {
	book, err := shipdir.OpenJournal(shipdir.Dir(aboardtest.NewShip(t, nil)))
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	gemini, err := agent.Lookup("gemini")
	if err != nil {
		t.Fatal(err)
	}
	var tty strings.Builder
	o := newOutput(book, &tty, gemini.Read, 1)
	for _, s := range []string{cleantest.Hostile, cleantest.Long} {
		raw, _ := json.Marshal(s)
		fmt.Fprintln(o, s)
		fmt.Fprintf(o, "{\"type\":\"message\",\"role\":\"assistant\",\"content\":%s,\"delta\":true}\n", raw)
		fmt.Fprintf(o, "{\"type\":\"tool_use\",\"tool_name\":%s,\"parameters\":{\"command\":%s}}\n", raw, raw)
		fmt.Fprintf(o, "{\"type\":\"tool_result\",\"status\":\"success\",\"output\":%s}\n", raw)
		fmt.Fprintf(o, "{\"type\":\"result\",\"status\":\"error\",\"error\":{\"message\":%s}}\n", raw)
		fmt.Fprint(o.stderr(), s+"\n")
	}
	o.flush()
	cleantest.Check(t, "terminal of a ship", tty.String(), cleantest.Texts)
	if !strings.Contains(tty.String(), "▸ evil") {
		t.Errorf("it shows %.300q", tty.String())
	}
}
