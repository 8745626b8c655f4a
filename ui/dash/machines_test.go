package dash

import (
	"strings"
	"testing"

	"ocaptain/fleet/machines"
)

// The choice of voyages says how many machines there are: at once the number on record, then the providers' numbers,
// or that they could not be asked.
func TestMachinesInPicker(t *testing.T) {
	s := setStage(t, 120, 30, aBoard(t), nil, func(o *Options) {
		id := machines.ID{Provider: "exedev", Name: "voyage-1-ship0"}
		if err := machines.Of(o.Hub).Put(machines.Record{ID: id}); err != nil {
			t.Fatal(err)
		}
	})
	s.press("V")
	s.until("the choice is open", func() bool { return strings.Contains(s.text(), "Voyages") })
	s.until("the machines are counted", func() bool { return strings.Contains(s.text(), "exedev is not known, 1 on record") })
}
