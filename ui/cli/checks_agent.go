package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/install"
	"ocaptain/fleet/trial"
	"ocaptain/ui/cli/config"
	"ocaptain/ui/launch"
	"ocaptain/ui/launch/problem"
	"ocaptain/ui/words"
)

// agentVersionUsage explains the flag that chooses the agent's version for new ships.
const agentVersionUsage = "version of the agent that ships get: tested, latest, installed or a number (default: agents.NAME.version in config.yaml, else tested)"

// agentFindings say which version of the chosen agent ships get, and how its trial ended. They try a version that choice
// names; for "" they only report what is known about the configured version.
func (b *bridge) agentFindings(ctx context.Context, c config.Config, choice string) []finding {
	a, err := c.FindAgent(c.Agent)
	now := choice != ""
	choice = cmp.Or(choice, c.AgentVersion(c.Agent))
	if err != nil || !a.Packaged && choice == config.Tested {
		return nil
	}
	f := finding{What: a.Name, Need: "agent " + a.Name, State: healthy}
	r, err := launch.FindRelease(ctx, a, choice)
	if err != nil {
		f.Found, f.State, f.Required = err.Error(), missing, true
		if p, ok := errors.AsType[*problem.Problem](err); ok {
			f.Fix = p.Hint
		}
		return []finding{f}
	}
	a = a.At(r)
	report, known := install.Tried(b.hub, a)
	if now {
		if report, err = b.launchYard().TryAgent(ctx, a); err != nil {
			f.Found, f.State, f.Required = err.Error(), missing, true
			return []finding{f}
		}
		known = true
	}
	f.Found = gets(ctx, b.hub, a)
	switch {
	case known:
		return append([]finding{f}, trialFindings(b.hub, a, report)...)
	case r.Version != "":
		f.Found += "; it is tried before it sails for the first time"
	}
	return []finding{f}
}

// gets says where ships get an agent from.
func gets(ctx context.Context, hub fleet.Hub, a agent.Agent) string {
	said := a.Gets()
	if a.Release.Version != "" {
		said += " (ocaptain is tested with " + a.Tested + ")"
	}
	if out, err := launch.Printed(ctx, a.Version...); err == nil && a.Check(out) == nil {
		return said + ": it is on this machine: " + strings.TrimSpace(words.FirstLine(out))
	}
	if install.HasAgent(hub, a) {
		return said + ": it has been fetched, for ships on this machine"
	}
	return said + ": ships fetch it"
}

// trialFindings returns the findings of a trial: one for the whole, and one for each clause that is not kept.
func trialFindings(hub fleet.Hub, a agent.Agent, r trial.Report) []finding {
	f := finding{
		What: "trial of " + a.Name, Need: "claims and completions that no version of an agent gets around", State: healthy,
		Found: fmt.Sprintf("%s keeps %d of %d clauses of the contract, tried %s in %s", r.Version, r.Held(), len(r.Findings), r.At.Local().Format("2006-01-02 15:04"), r.Took.Round(time.Second)),
	}
	if r.Walls != "" {
		f.Found += ", " + r.Walls
	}
	if !r.Sails() {
		f.Found += ": it cannot sail"
		f.State, f.Required = missing, a.Release.Version != ""
		f.Fix = "choose another version with --agent-version or agents." + a.Name + ".version in " + hub.ConfigFile()
	}
	f.Found += "; digest " + r.Sum
	found := []finding{f}
	for _, broken := range append(r.Broken(trial.Must), r.Broken(trial.Comfort)...) {
		found = append(found, finding{What: "not kept", Found: broken.Clause + ": " + broken.Why, Need: map[trial.Weight]string{trial.Must: "safe claims and completions", trial.Comfort: "comfort"}[broken.Weight], State: doubt})
	}
	for _, text := range r.Unasked {
		found = append(found, finding{What: "unasked", Found: text, Need: "knowing what is billed", State: doubt})
	}
	return found
}
