package fleet

import (
	"fmt"
	"strconv"
	"strings"

	"ocaptain/tasks/pattern"
)

// MachinePrefix starts the name of every ship's machine.
const MachinePrefix = "voyage-"

// UntilGone tells the captain that helm goes on trying to destroy a machine.
const UntilGone = "helm goes on until it is gone"

var machineName = pattern.New(`^(voyage-[0-9a-f]{12})-ship([0-9]{1,9})(r[0-9]{1,9})?(-oc[a-z0-9]{1,16})?$`)

// MachineName returns the name of the ship's machine at its provider. It never ends in "-<digits>", which exe.dev
// refuses.
func (s *Ship) MachineName(voyage string) string {
	if s.Built > 1 {
		return fmt.Sprintf("%s-ship%dr%d", voyage, s.Number, s.Built-1)
	}
	return fmt.Sprintf("%s-ship%d", voyage, s.Number)
}

// VoyageOf returns the id of the voyage that a machine of this name belongs to. ok says whether the name has the form
// that ocaptain gives to machines. It ignores the suffix that exe.dev adds to names.
func VoyageOf(machine string) (id string, ok bool) {
	part := machineName().FindStringSubmatch(machine)
	if part == nil {
		return "", false
	}
	return part[1], true
}

// ShipOf returns the number of the ship that a machine of this name belongs to, and which of the ship's machines it
// is, from 1.
func ShipOf(machine string) (number, built int, ok bool) {
	part := machineName().FindStringSubmatch(machine)
	if part == nil {
		return 0, 0, false
	}
	number, _ = strconv.Atoi(part[2])
	replaced, _ := strconv.Atoi(strings.TrimPrefix(part[3], "r"))
	return number, replaced + 1, true
}
