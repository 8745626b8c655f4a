package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"ocaptain/fleet/mix"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/supervise"
	"ocaptain/fleet/provider/registry"
	"ocaptain/fleet/tools"
	"ocaptain/ui/cli/config"
	"ocaptain/ui/launch"
	"ocaptain/ui/launch/logins"
	"ocaptain/ui/launch/places"
)

// probing is the time limit of each check that runs a program.
const probing = 20 * time.Second

func configFinding(b *bridge, err error) finding {
	f := finding{What: "configuration", Found: b.hub.ConfigFile(), Need: "every command", State: healthy, Required: true}
	if _, e := os.Stat(f.Found); e != nil {
		f.Found = "no config.yaml in " + b.hub.Config + ", so the defaults hold"
	}
	var bad *config.Error
	if errors.As(err, &bad) {
		f.Found, f.State, f.Fix = strings.Join(bad.Problems, " · "), missing, "correct the lines named; see: ocaptain help configuration"
	} else if err != nil {
		f.Found, f.State, f.Fix = err.Error(), missing, "see: ocaptain help configuration"
	}
	return f
}

// chosen checks that provider and agent are known.
func chosen(c config.Config) []finding {
	p := finding{What: "provider", Found: c.Provider + ", by " + orWord(c.SourceOf("provider"), "default"), Need: "every voyage", State: healthy, Required: true}
	if _, err := mix.Parse(c.Provider, launch.Providers()); err != nil {
		p.Found, p.State, p.Fix = p.Found+": "+err.Error(), missing, "choose one of: "+strings.Join(launch.Providers(), ", ")
	}
	a := finding{What: "agent", Found: c.Agent + ", by " + orWord(c.SourceOf("agent"), "default"), Need: "every voyage", State: healthy, Required: true}
	if _, err := c.FindAgent(c.Agent); err != nil {
		a.State, a.Fix = missing, "choose one of: "+strings.Join(c.AgentNames(), ", ")
	}
	return []finding{p, a}
}

// shipsFrom reports whether the configuration asks for ships from a provider.
func shipsFrom(c config.Config, provider string) bool {
	mix, err := mix.Parse(c.Provider, launch.Providers())
	return err == nil && mix.Has(provider)
}

// shipsHere reports whether the configuration asks for ships on this machine.
func shipsHere(c config.Config) bool { return shipsFrom(c, registry.Here().Name) }

// placesFinding checks that ocaptain's directories, and the directories of voyages that are not sunk, can be made and used.
func placesFinding(b *bridge) finding {
	hub := b.hub
	f := finding{What: "directories", Found: hub.Voyages + ", " + hub.State, Need: "voyages, keys and local ships", State: healthy, Required: true}
	fails := func(err error, fix string) finding {
		f.Found, f.State, f.Fix = err.Error(), missing, fix
		return f
	}
	const fix = "make the directory writable for you, or set OCAPTAIN_HOME"
	if _, err := fleet.RuntimeDir(hub.State); err != nil {
		return fails(err, "set XDG_RUNTIME_DIR to a directory with a short path that only you can use")
	}
	if err := hub.Make(); err != nil {
		return fails(err, fix)
	}
	for _, dir := range []string{hub.Voyages, hub.State} {
		if err := tryWriting(dir); err != nil {
			return fails(err, fix)
		}
	}
	voyages, err := b.sailing("")
	for _, d := range voyages {
		err = errors.Join(err, tryWriting(string(d)))
	}
	if err != nil {
		return fails(err, "make the directory writable for you: helm writes there what becomes of the voyage")
	}
	return f
}

// tryWriting creates and removes a file in a directory.
func tryWriting(dir string) error {
	probe, err := os.CreateTemp(dir, ".doctor-")
	if err != nil {
		return err
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// programs checks the programs that run on this machine.
func programs(ctx context.Context, c config.Config) []finding {
	var list []finding
	needed := registry.Tools(func(provider string) bool { return shipsFrom(c, provider) })
	for _, t := range []tools.Tool{tools.Git, tools.Tmux, tools.Bash, tools.SSH} {
		required := slices.ContainsFunc(needed, func(n tools.Tool) bool { return n.Name == t.Name })
		if required || t.Name != tools.SSH.Name {
			list = append(list, toolFinding(ctx, t, required))
		}
	}
	return list
}

// toolFinding checks that a program is installed and new enough.
func toolFinding(ctx context.Context, t tools.Tool, required bool) finding {
	f := finding{What: t.Name, Need: t.Need, State: healthy, Required: required}
	line, err := t.Find(ctx)
	f.Fix = places.ToolCure(t, err)
	switch {
	case err == nil:
		f.Found = line
	case line == "":
		f.Found, f.State = err.Error(), missing
	default:
		f.Found, f.State = line+", but "+t.Least+" is needed", missing
	}
	return f
}

// wallFinding checks that agents on local ships can be confined.
func wallFinding(hub fleet.Hub, c config.Config, confinement func() error) finding {
	f := finding{What: "bubblewrap", Found: "confines agents", Need: "agents on local ships to reach nothing but their ship", State: healthy}
	if !shipsHere(c) {
		f.Found = "not asked, as ships are on other machines"
		return f
	}
	if err := confinement(); err != nil {
		f.Found, f.State = err.Error(), doubt
		f.Fix = "agree to agents without walls with: ocaptain sail --unconfined"
		if walling := places.Walling(); walling != "" {
			f.Fix = walling + ", or agree to agents without walls: ocaptain sail --unconfined"
		}
		return f
	}
	seen, unseen, err := places.VisibleDirs(hub)
	if err != nil {
		f.Found, f.State = err.Error(), doubt
		return f
	}
	f.Found += ", who see " + strings.Join(seen, ", ") + " and parts of /etc"
	if len(unseen) > 0 {
		f.Found += "; of your PATH they do not see " + strings.Join(unseen, ", ") + " (local.bind in " + hub.ConfigFile() + " can show it)"
	}
	return f
}

// loginFindings checks the secrets with which agents and git log in. It never shows a secret.
func loginFindings(c config.Config) []finding {
	var found []finding
	if a, err := c.FindAgent(c.Agent); err == nil && len(a.Keys) > 0 {
		f := finding{What: "login", Need: "agent " + a.Name, State: healthy, Required: true}
		secrets, wrong := logins.OfAgent(a, c)
		for _, name := range slices.Backward(a.Keys) {
			if secrets[name] != "" {
				_, from := c.Variable(name)
				f.Found = name + ", from " + from + ", of the right form; tried by the first ship" // the first variable that is set comes last
			}
		}
		if wrong != nil {
			f.Found, f.State, f.Fix = wrong.Error(), missing, strings.ReplaceAll(wrong.Hint, "\n", "; ")
		}
		found = append(found, f)
	}
	gh := finding{What: "GH_TOKEN", Found: "not set", Need: "private repositories on GitHub, unless git can log in by itself", State: healthy}
	if value, from := c.Variable("GH_TOKEN"); value != "" {
		gh.Found = "set, from " + from + ", and tried where a repository is read"
		if wrong, fix := logins.WrongForm("GH_TOKEN", value, false); wrong != "" {
			gh.Found, gh.State, gh.Fix = wrong, doubt, fix
		}
	}
	return append(found, gh)
}

// helmFinding says whether helm runs. A helm that does not run is fine when it can be started.
func helmFinding(ctx context.Context, b *bridge) finding {
	f := finding{What: "helm", Need: "voyages under way; started when it is needed", State: healthy}
	hello, err := api.NewClient(b.hub).Hello(ctx)
	switch {
	case errors.Is(err, api.ErrDown):
		f.Found = "not running"
		if err := supervise.Check(ctx, b.hub); err != nil {
			f.Found, f.State, f.Required = "not running, and cannot be started: "+err.Error(), missing, true
			f.Fix = "mend that, or move it away; helm is started by the next command that needs it"
		}
	case err != nil:
		f.Found, f.State, f.Fix = err.Error(), doubt, "ocaptain helm stop"
	default:
		f.Found = fmt.Sprintf("running, version %s, process %d", hello.Version, hello.PID)
	}
	return f
}
