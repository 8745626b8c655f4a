package words

import (
	"fmt"
	"strings"

	"ocaptain/fleet/machines"
)

// Machines says how many machines there are and where: "3 machines: 1 at local, 2 at sprites". If a
// provider does not answer, the count is not guessed: "exedev is not known, 1 on record (no
// route)".
func Machines(all []machines.Count) string {
	sum := 0
	var known, rest []string
	for _, t := range all {
		sum += t.Machines
		if t.Why == "" && t.Unlisted > 0 {
			rest = append(rest, fmt.Sprintf("%s does not list %d on record", t.Provider, t.Unlisted))
		}
		switch {
		case t.Why == "" && t.Machines > 0:
			known = append(known, fmt.Sprintf("%d at %s", t.Machines, t.Provider))
		case t.Why == "":
		case t.Machines > 0:
			known = append(known, fmt.Sprintf("%d at %s", t.Machines, t.Provider))
			rest = append(rest, fmt.Sprintf("not all of %s could be asked (%s)", t.Provider, t.Why))
		default:
			rest = append(rest, fmt.Sprintf("%s is not known, %d on record (%s)", t.Provider, t.Recorded, t.Why))
		}
	}
	text := Counted(sum, "machine")
	switch {
	case len(known) > 0:
		text += ": " + strings.Join(known, ", ")
	case len(rest) > 0:
		return strings.Join(rest, "; ")
	}
	return strings.Join(append([]string{text}, rest...), "; ")
}

// OnRecord says how many machines are on record, before asking providers.
func OnRecord(all []machines.Count) string {
	sum := 0
	for _, t := range all {
		sum += t.Recorded
	}
	return Counted(sum, "machine") + " on record, asking …"
}
