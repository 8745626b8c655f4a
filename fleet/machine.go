package fleet

import (
	"strconv"
	"strings"

	"ocaptain/tasks/pattern"
)

// MachinePrefix begins the name of every machine of a ship.
const MachinePrefix = "voyage-"

// UntilGone says of a machine that is to be destroyed that helm sees to it.
const UntilGone = "helm goes on until it is gone"

var machineName = pattern.New(`^(voyage-[0-9a-f]{12})-ship([0-9]{1,9})(r[0-9]{1,9})?(-oc[a-z0-9]{1,16})?$`)

// VoyageOf returns the id of the voyage whose machine has that name, and whether a machine of
// ocaptain's can have it at all. What exe.dev's names have at their end does not matter.
func VoyageOf(machine string) (id string, ok bool) {
	part := machineName().FindStringSubmatch(machine)
	if part == nil {
		return "", false
	}
	return part[1], true
}

// ShipOf returns the number of the ship whose machine has that name, and how many it has had, counting this one.
func ShipOf(machine string) (number, built int, ok bool) {
	part := machineName().FindStringSubmatch(machine)
	if part == nil {
		return 0, 0, false
	}
	number, _ = strconv.Atoi(part[2])
	replaced, _ := strconv.Atoi(strings.TrimPrefix(part[3], "r"))
	return number, replaced + 1, true
}
