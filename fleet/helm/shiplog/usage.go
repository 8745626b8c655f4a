package shiplog

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/proto"
)

// Recount sums up the usage in the ships' logs. Each machine of a ship has its own journal.
func Recount(d fleet.Dir, all *fleet.Fleet) map[string]*facts.Used {
	used := map[string]*facts.Used{}
	files, _ := filepath.Glob(d.LogFile("*"))
	for _, file := range files {
		ship := strings.TrimSuffix(filepath.Base(file), ".jsonl")
		u := &facts.Used{}
		if recountLog(file, u); u.Journal == "" {
			continue
		}
		if f := all.ShipNamed(ship); f != nil {
			u.Built = f.Built
		}
		used[ship] = u
	}
	return used
}

func recountLog(file string, u *facts.Used) {
	f, err := os.Open(file)
	if err != nil {
		return
	}
	defer f.Close()
	lines := bufio.NewReaderSize(f, 64<<10)
	for {
		raw, err := lines.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull) || err == nil && !bytes.Contains(raw, []byte(`"`+proto.KindUsage+`"`)):
			continue
		case err != nil:
			return
		}
		var l fleet.LogLine
		var told proto.Usage
		if json.Unmarshal(raw, &l) != nil || l.Kind != proto.KindUsage || l.Journal == "" || json.Unmarshal(l.Data, &told) != nil {
			continue
		}
		built := u.Built
		if l.Journal != u.Journal {
			built++
		}
		u.AddReport(built, l.Journal, told)
	}
}
