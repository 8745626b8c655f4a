package launch

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/agent/packages"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/install"
	"ocaptain/fleet/trial"
	"ocaptain/ui/cli/config"
	"ocaptain/ui/launch/places"
	"ocaptain/ui/launch/problem"
)

// releases finds the versions of the order's agents that ships get. It tries a version that was never tried; a version
// with which a claim could slip through may not sail.
func (y Yard) releases(ctx context.Context, d *draft) error {
	o := d.order
	if d.wish.inPool {
		return nil // workers of an existing pool keep its versions
	}
	all, err := o.agents()
	if err != nil {
		return &problem.Problem{Kind: problem.Usage, Field: problem.Agent, Err: err}
	}
	o.Releases = map[string]packages.Release{}
	for _, a := range all {
		choice := d.config.AgentVersion(a.Name)
		if w := d.wish.AgentVersion; w != "" && a.Name == o.Agent.Name {
			choice = w
		}
		r, report, err := y.provenRelease(ctx, a, choice)
		if err != nil {
			return err
		}
		if r.Version == "" {
			continue
		}
		o.Releases[a.Name] = r
		if unknown := report.Broken(trial.Comfort); len(unknown) > 0 {
			o.Borrowed = append(o.Borrowed, problem.Defect{
				What: clean.Line(fmt.Sprintf("%s %s keeps claims and work safe, but: %s", a.Name, r.Version, trial.Words(unknown))),
				Fix:  "version " + config.Tested + " has all",
			})
		}
	}
	o.Agent = o.Agent.At(o.Releases[o.Agent.Name])
	return nil
}

// ChooseRelease sets the agent's version for new ships of a voyage, and first tries a version that was never tried.
func (y Yard) ChooseRelease(ctx context.Context, client *api.Client, v fleet.Voyage, choice string) error {
	a, err := agent.Find(v.Agent, v.Custom)
	if err != nil {
		return err
	}
	r, _, err := y.provenRelease(ctx, a, choice)
	if err != nil {
		return err
	}
	return client.ChooseRelease(ctx, v.ID, api.ReleaseRequest{Agent: a.Name, Release: r})
}

// FindRelease finds the release of an agent that the captain chose; the zero release stands for the tested version.
func FindRelease(ctx context.Context, a agent.Agent, choice string) (packages.Release, error) {
	if wrong := config.WrongVersion(choice); wrong != "" {
		return packages.Release{}, problem.New(problem.Usage, problem.AgentVersion, "", "version of %s %s", a.Name, wrong)
	}
	version := choice
	switch {
	case choice == config.Tested:
		return packages.Release{}, nil
	case !a.Packaged:
		return packages.Release{}, problem.New(problem.Usage, problem.AgentVersion, "", "ocaptain fetches no %s, so it has no versions to choose from", a.Name)
	case choice == config.Installed:
		var err error
		if version, err = installed(ctx, a); err != nil {
			return packages.Release{}, err
		}
	}
	r, err := packages.Resolve(ctx, a.Name, version)
	if err != nil {
		return r, problem.New(problem.Failed, problem.AgentVersion, "choose "+config.Tested+", the version that ocaptain is tested with: it needs no registry", "%w", err)
	}
	return r, nil
}

// installed returns the version of an agent on this machine.
func installed(ctx context.Context, a agent.Agent) (string, error) {
	out, err := Printed(ctx, a.Version...)
	version := agent.VersionIn(out)
	if err == nil && version == "" {
		err = errors.New("it does not tell its version")
	}
	if err != nil {
		return "", problem.New(problem.Missing, problem.AgentVersion, "choose a version like "+a.Tested+", latest or tested", "%s is not on this machine in a version of its own: %w", a.Name, err)
	}
	return version, nil
}

// Printed returns what a short command prints.
func Printed(ctx context.Context, argv ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	return string(out[:min(len(out), 4096)]), err
}

// provenRelease finds the release of an agent that the captain chose, and the report of its trial unless it is the tested
// version.
func (y Yard) provenRelease(ctx context.Context, a agent.Agent, choice string) (r packages.Release, report trial.Report, err error) {
	if r, err = FindRelease(ctx, a, choice); err == nil && r.Version != "" {
		report, err = y.proven(ctx, a.At(r))
	}
	return r, report, err
}

// proven returns the report of a version, which may sail.
func (y Yard) proven(ctx context.Context, a agent.Agent) (trial.Report, error) {
	r, ok := install.Tried(y.Hub, a)
	if !ok {
		var err error
		if r, err = y.TryAgent(ctx, a); err != nil {
			return r, problem.New(problem.Failed, problem.AgentVersion, "", "%w", err)
		}
	}
	if !r.Sails() {
		return r, problem.New(problem.Refused, problem.AgentVersion,
			fmt.Sprintf("choose another version with --agent-version, or in agents.%s.version of %s\nto try it again: ocaptain doctor --agent %s@%s", a.Name, y.Hub.ConfigFile(), a.Name, a.Gets()),
			"%s %s cannot sail: %s", a.Name, a.Gets(), clean.Line(trial.Words(r.Broken(trial.Must))))
	}
	return r, nil
}

// TryAgent tries an agent on this machine, in the form in which ships would get it.
func (y Yard) TryAgent(ctx context.Context, a agent.Agent) (trial.Report, error) {
	box, err := places.Local(y.Hub)
	if err != nil {
		return trial.Report{}, err
	}
	say := y.Say
	if say == nil {
		say = func(string) {}
	}
	return install.TryAgent(ctx, y.Hub, box, a, say)
}
