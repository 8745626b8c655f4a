package install

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/agent/packages"
	"ocaptain/fleet/provider/local"
	"ocaptain/fleet/trial"
	"ocaptain/sync/whole"
)

// Tried returns the result of the newest trial of an agent in the version that ships would get; ok is false if there
// is no valid one.
func Tried(h fleet.Hub, a agent.Agent) (r trial.Report, ok bool) {
	p, err := a.Program(packages.Here())
	if err != nil {
		return r, false
	}
	raw, err := os.ReadFile(trialFile(h, a))
	ok = err == nil && json.Unmarshal(raw, &r) == nil && r.Edition == trial.Edition && r.Sum == p.Sum && len(r.Findings) > 0
	return r, ok
}

// TryAgent tries an agent in the version that ships would get, on this machine, and stores the result. It downloads
// the agent's program if needed.
func TryAgent(ctx context.Context, h fleet.Hub, box *local.Provider, a agent.Agent, say func(string)) (r trial.Report, err error) {
	file, err := FetchAgent(ctx, h, a, say, func() {})
	if err != nil {
		return r, err
	}
	say("trying " + a.Name + " " + a.Gets() + " for half a minute")
	order, err := json.Marshal(trial.Order{Agent: a.Name, Version: a.Gets(), Program: file})
	if err != nil {
		return r, err
	}
	ctx, cancel := context.WithTimeout(ctx, trial.Longest+20*time.Second)
	defer cancel()
	var out, said bytes.Buffer
	note, err := box.RunApart(ctx, []string{"aboard", "trial"}, order, &out, &said)
	if err != nil {
		why := strings.TrimSpace(strings.TrimPrefix(said.String(), "error: "))
		return r, fmt.Errorf("the trial of %s %s failed: %s (%w)", a.Name, a.Gets(), cmp.Or(why, "it ended without a word"), err)
	}
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		return r, fmt.Errorf("try %s %s: %w", a.Name, a.Gets(), err)
	}
	p, err := a.Program(packages.Here())
	if err != nil {
		return r, err
	}
	r.Walls, r.Sum = note, p.Sum
	raw, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return r, err
	}
	if err := os.MkdirAll(filepath.Dir(trialFile(h, a)), 0o700); err != nil {
		return r, err
	}
	return r, whole.Write(trialFile(h, a), raw, 0o600)
}

// trialFile returns the path of the file with the report about an agent in a version.
func trialFile(h fleet.Hub, a agent.Agent) string {
	return filepath.Join(h.State, "trials", a.Name+"-"+a.Gets()+".json")
}
