package dash

import (
	"strings"
	"testing"

	"ocaptain/fleet"
)

// The choice of voyages says how many machines there are: at once what is on record, then what
// the providers answer, or that they could not be asked.
func TestMachinesInPicker(t *testing.T) {
	s := setStage(t, 120, 30, aBoard(t), nil, nil)
	s.write(s.dir.Fleet(), fleet.Fleet{Phase: fleet.Sailing, Ships: []*fleet.Ship{{Name: "ship-0", Provider: "exedev", Phase: fleet.Afloat}}})
	s.press("V")
	s.until("the choice is open", func() bool { return strings.Contains(s.text(), "Voyages") })
	s.until("the machines are counted", func() bool { return strings.Contains(s.text(), "exedev is not known, 1 on record") })
}
