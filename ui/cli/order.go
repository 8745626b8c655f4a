package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"ocaptain/ui/words"

	"github.com/spf13/cobra"

	"ocaptain/fleet/agent"
	"ocaptain/tasks"
	"ocaptain/theme"
	"ocaptain/ui/clean"
	"ocaptain/ui/cli/config"
)

// order is a voyage that is to be: everything has been checked, nothing has been made.
type order struct {
	plan       *tasks.Plan // nil for one interactive ship
	repo       tasks.Repo
	source     string // what git clones, "" for a fresh repository
	ships      int
	provider   string
	agent      agent.Agent
	model      string
	secrets    map[string]string
	env        map[string]string
	github     string // token that reads private repositories, "" for none
	reclaim    time.Duration
	unconfined bool
}

// order reads and checks everything that a voyage depends on.
func (b *bridge) order(cmd *cobra.Command, where, repo string, unconfined bool) (order, error) {
	c, err := b.config(cmd)
	if err != nil {
		return order{}, err
	}
	o := order{
		provider: c.Provider, model: c.Model, env: openEnv(c), reclaim: c.Reclaim, unconfined: unconfined, ships: 1,
	}
	o.github, _ = c.Env("GH_TOKEN")
	if !slices.Contains(providers, o.provider) {
		return o, usage("there is no provider %q (from %s); there are: %s", o.provider, c.From("provider"), strings.Join(providers, ", "))
	}
	if o.agent, err = agent.Lookup(c.Agent); err != nil {
		return o, fail(Usage, "", "%w (from %s)", err, c.From("agent"))
	}
	if where == "" {
		err = o.interactive(cmd)
	} else {
		err = o.open(b, where, c)
	}
	if err != nil {
		return o, err
	}
	if err := o.place(b, repo); err != nil {
		return o, err
	}
	if o.secrets, err = tokenFor(o.agent, c); err != nil {
		return o, err
	}
	if wrong := wrongForm("GH_TOKEN", o.github); o.github != "" && wrong != "" {
		return o, fail(Missing, "copy it again, or unset it", "GH_TOKEN %s", wrong)
	}
	if err := b.reachable(cmd.Context(), o); err != nil {
		return o, err
	}
	err = b.agreeToWalls(cmd.Context(), &o)
	return o, err
}

// interactive checks what a voyage without a plan cannot have.
func (o *order) interactive(cmd *cobra.Command) error {
	if !o.agent.Talks {
		return usage("agent %s works through the tasks of a plan; name one", o.agent.Name)
	}
	if n := cmd.Flags().Lookup("ships"); n != nil && n.Changed && n.Value.String() != "1" {
		return usage("without a plan there is one ship; name a plan or leave --ships out")
	}
	return nil
}

// open reads the plan and tells all its defects at once.
func (o *order) open(b *bridge, where string, c config.Config) error {
	var defects tasks.Defects
	o.plan, defects = tasks.Open(where)
	if n := defects.Errors(); n > 0 {
		printDefects(b.err, o.plan, defects)
		return fail(Usage, "", "plan %s has %s; nothing was made", where, words.Count(n, "error"))
	}
	for _, d := range defects {
		fmt.Fprintln(b.err, theme.Warn.Style.Render(theme.Warn.Glyph)+" "+clean.Line(d.String()))
	}
	o.ships = 3
	if o.plan.Ships > 0 {
		o.ships = o.plan.Ships
	}
	if c.Ships > 0 {
		o.ships = c.Ships
	}
	return nil
}

// place settles the repository: the flag's, else the plan's, else a fresh one.
func (o *order) place(b *bridge, repo string) error {
	from := b.cwd
	if repo != "" {
		r, err := tasks.ParseRepo(repo)
		if err != nil {
			return fail(Usage, "", "--repo: %w", err)
		}
		o.repo = r
	} else if o.plan != nil {
		o.repo, from = o.plan.Repo, o.plan.Dir
	} else {
		o.repo = tasks.Repo{Kind: tasks.RepoFresh}
	}
	if o.source = o.repo.Source(from, b.hub.Home); o.repo.Kind == tasks.RepoPath {
		o.source = filepath.Clean(o.source)
		o.repo.Name = o.source
	}
	return nil
}

// agreeToWalls makes sure that the captain knows when agents on this machine cannot be
// confined. An agent without a model runs nothing but what the plan says.
func (b *bridge) agreeToWalls(ctx context.Context, o *order) error {
	if o.provider != "local" || len(o.agent.Keys) == 0 || o.unconfined {
		return nil
	}
	err := confinement(ctx, b.hub)
	if err == nil {
		return nil
	}
	advice := "to confine them: " + install("bubblewrap") + "\nto go without walls: --unconfined"
	if runtime.GOOS == "darwin" {
		advice = "to go without walls: --unconfined"
	}
	if !b.live {
		return fail(Refused, advice, "agents on this machine could do whatever you can: they cannot be confined (%w)", err)
	}
	fmt.Fprintf(b.err, "%s Agents on this machine could do whatever you can: they cannot be confined (%v).\n", theme.Warn.Style.Render(theme.Warn.Glyph), err)
	answer, err := b.ask(ctx, "Sail without walls? [y/N] ")
	if err != nil {
		return err
	}
	if answer = strings.ToLower(answer); answer != "y" && answer != "yes" {
		return fail(Refused, advice, "nothing was made")
	}
	o.unconfined = true
	return nil
}
