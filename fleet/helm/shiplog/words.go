package shiplog

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"

	"ocaptain/fleet"
	"ocaptain/fleet/agent/agentlog"
	"ocaptain/fleet/clean"
)

// LastWords returns what the end of a ship's log says about its agent's work, oldest first.
func LastWords(path string) []string {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil
	}
	from := max(0, info.Size()-agentlog.LastPart)
	raw := make([]byte, info.Size()-from)
	if n, err := f.ReadAt(raw, from); err != nil && !errors.Is(err, io.EOF) {
		return nil
	} else if raw = raw[:n]; from > 0 {
		_, rest, _ := strings.Cut(string(raw), "\n") // the part begins in the middle of a line
		raw = []byte(rest)
	}
	var words agentlog.LastWords
	for line := range strings.Lines(string(raw)) {
		var l fleet.LogLine
		if json.Unmarshal([]byte(line), &l) == nil {
			words.Add(l.Kind, clean.Bound(l.Text, 1<<10))
		}
	}
	return words
}
