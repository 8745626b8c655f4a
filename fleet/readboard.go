package fleet

import (
	"errors"
	"io/fs"

	"ocaptain/fleet/summed"
)

// ReadBoard reads all that is known of a voyage. Until helm has written the first board, that is only what the voyage
// was made from.
func ReadBoard(d Dir) (Board, error) {
	board, err := LoadBoard(d)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return board, err
	}
	return ReadSummary(d)
}

// ReadSummary reads the board of a voyage without its tasks.
func ReadSummary(d Dir) (Board, error) {
	v, err := LoadVoyage(d)
	if err != nil {
		return Board{}, err
	}
	f, err := LoadFleet(d)
	if err != nil {
		return Board{}, err
	}
	board := Board{Voyage: v, Phase: f.Phase, Since: f.Since, Verify: f.Verify, Usage: keptUsage(d)}
	for _, s := range f.Ships {
		board.Ships = append(board.Ships, ShipView{Ship: *s, Status: Status{Word: Unknown}})
	}
	return board, nil
}

// keptUsage returns what the ships of a voyage have used, from the file that helm keeps; the zero Usage if that is
// unreadable.
func keptUsage(d Dir) (sum Usage) {
	var ships map[string]struct{ Now, Past Usage }
	if summed.Read(d.UsageFile(), &ships) != nil {
		return Usage{}
	}
	for _, s := range ships {
		sum = sum.Add(s.Past).Add(s.Now)
	}
	return sum
}
