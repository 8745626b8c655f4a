package words

import (
	"fmt"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/proto"
)

// Index says how much of a ship's tree is indexed for search, "" when its agent has no search.
func Index(is proto.Index) string {
	switch {
	case is.Broken != "":
		return "does not work: " + clean.Line(is.Broken)
	case is.Files == 0:
		return ""
	}
	said := Counted(is.Files, "file")
	if is.LeftOut > 0 {
		said += fmt.Sprintf(", %d more left out", is.LeftOut)
	}
	if is.Chunks > 0 {
		said += fmt.Sprintf("; by meaning %d of %d pieces", is.Vectors, is.Chunks)
	}
	if is.Hound != "" {
		said += "; ChunkHound " + clean.Line(is.Hound)
	}
	if is.Unmeant != "" {
		said += ": " + clean.Line(is.Unmeant)
	}
	return said
}

// Indexes says how many ships can search, and which cannot and why.
func Indexes(ships []fleet.ShipView) (lines []string) {
	can, most := 0, proto.Index{}
	for i := range ships {
		switch is := ships[i].Index; {
		case is.Broken != "":
			lines = append(lines, clean.Line(ships[i].Name)+" "+Index(is))
		case is.Files > 0:
			if can++; is.Files > most.Files {
				most = is
			}
		}
	}
	if can > 0 {
		lines = append([]string{fmt.Sprintf("%s can, %s", Counted(can, "ship"), Index(most))}, lines...)
	}
	return lines
}
