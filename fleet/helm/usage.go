package helm

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ocaptain/fleet"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/proto"
)

// used is what the agents of a ship have used. A machine tells its own totals, which only
// grow, so whatever is told again or gets lost is made up for by what it tells next. When a
// ship gets a new machine, the totals of that begin at 0 and are added to those before.
type used struct {
	Built   int         `json:"built"`         // the machine that Now is of
	Journal string      `json:"journal"`       // that told it
	Old     string      `json:"old,omitempty"` // that of the machine before: nothing of it counts any more
	Now     fleet.Usage `json:"now"`
	Past    fleet.Usage `json:"past"`
	Turn    int         `json:"turn,omitempty"`
	Claim   string      `json:"claim,omitempty"` // the newest
	Begun   int         `json:"begun,omitempty"` // what Turn was when that was granted
	over    bool        // it is ended, as it took too many
}

// claimTurns is how many turns were taken under the newest claim.
func (u *used) claimTurns() int { return max(0, u.Turn-u.Begun) }

// What a ship can claim at most, far more than there can be and so little that the sum over
// all ships and machines is still a number.
const (
	mostTokens = int64(1e13) // of a model
	mostPast   = int64(1e15)
	mostCost   = 1e9 // US dollars
	mostTurns  = 1e9
	mostModels = 32
)

// others is the name under which models are counted that are too many.
const others = "others"

// addReport takes over what a machine tells.
func (u *used) addReport(built int, journal string, told proto.Usage) {
	if journal == u.Old && u.Old != "" {
		return
	}
	if built != u.Built && journal != u.Journal {
		u.Past = atMost(u.Past.Add(u.Now), mostPast)
		u.Old, u.Built, u.Now, u.Turn, u.Begun = u.Journal, built, fleet.Usage{}, 0, 0
	}
	u.Journal = journal
	u.Turn = max(u.Turn, min(told.Turn, mostTurns))
	now := fleet.Usage{
		Messages: max(u.Now.Messages, min(int64(told.Messages), mostTokens)),
		CostUSD:  max(u.Now.CostUSD, min(told.CostUSD, mostCost)),
		Models:   maps.Clone(u.Now.Models),
	}
	if now.Models == nil {
		now.Models = map[string]agent.Tokens{}
	}
	for _, name := range slices.Sorted(maps.Keys(told.Models)) {
		known := cleanWord(name)
		if _, ok := now.Models[known]; !ok && len(now.Models) >= mostModels {
			known = others
		}
		now.Models[known] = largerTokens(now.Models[known], told.Models[name])
	}
	for _, t := range now.Models {
		now.Tokens = now.Tokens.Add(t)
	}
	u.Now = now
}

// largerTokens is the larger of both, number by number.
func largerTokens(old, told agent.Tokens) agent.Tokens {
	larger := func(a, b int64) int64 { return max(a, min(b, mostTokens)) }
	return agent.Tokens{
		Input: larger(old.Input, told.Input), Output: larger(old.Output, told.Output),
		CacheRead: larger(old.CacheRead, told.CacheRead), CacheWrite: larger(old.CacheWrite, told.CacheWrite),
	}
}

// atMost bounds every number, and the number of models.
func atMost(u fleet.Usage, most int64) fleet.Usage {
	bound := func(t agent.Tokens) agent.Tokens {
		return agent.Tokens{
			Input: min(t.Input, most), Output: min(t.Output, most),
			CacheRead: min(t.CacheRead, most), CacheWrite: min(t.CacheWrite, most),
		}
	}
	u.Messages, u.Tokens, u.CostUSD = min(u.Messages, most), bound(u.Tokens), min(u.CostUSD, mostCost)
	models := map[string]agent.Tokens{}
	for _, name := range slices.Sorted(maps.Keys(u.Models)) {
		to := name
		if len(models) >= mostModels {
			to = others
		}
		models[to] = bound(models[to].Add(u.Models[name]))
	}
	u.Models = models
	return u
}

func (u *used) sum() fleet.Usage { return u.Past.Add(u.Now) }

// takeUsage takes over a record of a ship's usage. What is restored from the log counts only
// if it is of the journal that the log ends with: the lines before may be of a machine that is
// gone and long part of the past. The caller holds v.mu.
func (s *ship) takeUsage(l fleet.LogLine) {
	if s.restoring && (s.logs == nil || l.Journal != s.logs.Journal()) {
		return
	}
	var told proto.Usage
	if json.Unmarshal(l.Data, &told) != nil {
		return
	}
	s.usage().addReport(s.known.Ship.Built, l.Journal, told)
	s.v.usedDirty = true
	s.countTurns()
}

// usage is what the ship's agents have used. The caller holds v.mu.
func (s *ship) usage() *used {
	u := s.v.used[s.name]
	if u == nil {
		u = &used{Built: s.known.Ship.Built}
		s.v.used[s.name] = u
	}
	return u
}

// loadUsage reads what was used before helm was started. Where the file is missing or damaged, the ships' logs tell.
func (v *voyage) loadUsage() {
	v.used = map[string]*used{}
	err := fleet.Load(v.dir.UsageFile(), &v.used)
	if err != nil {
		v.used = v.recount()
		v.usedDirty = len(v.used) > 0
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		v.addFinding("usage.json was damaged; what was used was counted again from the ships' logs")
		v.usedDirty = true
	}
	maps.DeleteFunc(v.used, func(_ string, u *used) bool { return u == nil })
	if v.used == nil {
		v.used = map[string]*used{}
	}
}

// recount adds up what the ships' logs tell of usage. Each machine of a ship has a journal of its own.
func (v *voyage) recount() map[string]*used {
	all := map[string]*used{}
	files, _ := filepath.Glob(v.dir.LogFile("*"))
	for _, file := range files {
		ship := strings.TrimSuffix(filepath.Base(file), ".jsonl")
		u := &used{}
		if recountLog(file, u); u.Journal == "" {
			continue
		}
		if f := v.fleet.ShipNamed(ship); f != nil {
			u.Built = f.Built
		}
		all[ship] = u
	}
	return all
}

func recountLog(file string, u *used) {
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
		u.addReport(built, l.Journal, told)
	}
}

// saveUsage writes what was used, if that has changed.
func (v *voyage) saveUsage() {
	v.mu.Lock()
	if !v.usedDirty {
		v.mu.Unlock()
		return
	}
	v.usedDirty = false
	all := make(map[string]used, len(v.used))
	for name, u := range v.used {
		all[name] = *u // nothing in it is changed in place
	}
	v.mu.Unlock()
	if err := v.files.write(v.dir.UsageFile(), all, 0o600); err != nil {
		v.log.Error("usage.json", "error", err)
		v.mu.Lock()
		v.usedDirty = true
		v.mu.Unlock()
	}
}
