package run

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"ocaptain/fleet/agent"
)

// setup returns the settings of this start. It continues the session of the start before, if the agent can.
func (r *runner) setup() agent.Setup {
	set := agent.Setup{
		Home: string(r.home), Ocaptain: r.home.Binary(), Voyage: r.ship.Voyage, Ship: r.ship.Name, List: r.ship.List,
		Workspace: r.ship.Workspace, Model: r.ship.Model, First: r.ship.Prompt, Root: os.Geteuid() == 0, Env: r.ship.Env, Secrets: r.secrets,
		Telemetry: r.telemetry, Search: r.ship.Search, Tools: r.ship.Tools,
		Notebooks: hasNotebooks(r.ship.Workspace),
	}
	if r.ship.Given {
		set.List = "" // the agent keeps a task list of its own
	}
	if exe, err := os.Executable(); err == nil {
		set.Ocaptain = exe
	}
	if r.agent.Turns {
		set.First = "" // each turn has its own prompt
	}
	last, _ := os.ReadFile(r.home.Session())
	r.resume(&set, strings.TrimSpace(string(last)))
	return set
}

// hasNotebooks reports whether git tracks a notebook in the workspace.
func hasNotebooks(workspace string) bool {
	out, err := exec.Command("git", "-C", workspace, "ls-files", "-z", "--", "*.ipynb").Output()
	return err == nil && len(out) > 0
}

// usable checks that the agent's program exists in the right version, since the agent might have updated itself. Before the
// first start it also checks that there is a key for the agent.
func (r *runner) usable(ctx context.Context, start int) error {
	if r.agent.Version == nil || start > 1 && r.agent.Only == "" {
		return nil
	}
	if start == 1 {
		if err := r.checkKey(); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	cmd, err := r.command(agent.Command{Args: r.agent.Version})
	if err != nil {
		return err
	}
	probe := exec.CommandContext(ctx, cmd.Path, cmd.Args[1:]...)
	probe.Env = cmd.Env
	probe.WaitDelay = time.Second
	out, err := probe.Output()
	if err != nil {
		return fmt.Errorf("%s does not run: %w", r.agent.Name, err)
	}
	return r.agent.Check(string(out))
}

// variable returns the value that an environment variable has for the agent.
func (r *runner) variable(name string) string {
	return cmp.Or(r.secrets[name], r.ship.Env[name], os.Getenv(name))
}

// checkKey returns an error if the agent would ask for a login, since no captain is there to answer.
func (r *runner) checkKey() error {
	if len(r.agent.Keys) == 0 || r.agent.Key(r.variable) != "" {
		return nil
	}
	if r.agent.Login != "" {
		if _, err := os.Stat(filepath.Join(string(r.home), r.agent.Login)); err == nil {
			return nil
		}
	}
	return fmt.Errorf("%s has no key: set %s on the hub and sail again", r.agent.Name, r.agent.Keys[0])
}

// command returns the agent's command, to be run in the workspace with the agent's environment.
func (r *runner) command(c agent.Command) (*exec.Cmd, error) {
	path := filepath.Dir(r.home.Binary()) + ":" + filepath.Join(string(r.home), ".local", "bin") + ":" + os.Getenv("PATH")
	env := append(os.Environ(), "PATH="+path, "HOME="+string(r.home), "PWD="+r.ship.Workspace,
		"OCAPTAIN_SHIP="+r.ship.Name, "OCAPTAIN_VOYAGE="+r.ship.Voyage,
		"GIT_EDITOR=true") // no editor waits for input: a commit without -m fails, and a merge gets its default message
	for _, vars := range []map[string]string{r.telemetry.Env(), c.Env, r.ship.Env, r.secrets} {
		for k, v := range vars {
			env = append(env, k+"="+v)
		}
	}
	program, err := lookPath(c.Args[0], path)
	if err != nil {
		return nil, fmt.Errorf("%s is not installed on the ship", c.Args[0])
	}
	cmd := exec.Command(program, c.Args[1:]...)
	cmd.Args[0] = c.Args[0]
	cmd.Env = env
	cmd.Dir = r.ship.Workspace
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	return cmd, nil
}

// lookPath finds a program in the directories of path.
func lookPath(name, path string) (string, error) {
	if filepath.IsAbs(name) {
		return name, nil
	}
	for _, dir := range filepath.SplitList(path) {
		p := filepath.Join(dir, name)
		if info, err := os.Stat(p); err == nil && filepath.IsAbs(p) && !info.IsDir() && info.Mode()&0o111 != 0 {
			return p, nil
		}
	}
	return "", exec.ErrNotFound
}
