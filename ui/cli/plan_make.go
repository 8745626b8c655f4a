package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"ocaptain/fleet/agent"
	"ocaptain/fleet/clean"
	"ocaptain/tasks"
	"ocaptain/theme"
	"ocaptain/ui/cli/config"
	"ocaptain/ui/graphtext"
	"ocaptain/ui/launch"
	"ocaptain/ui/launch/logins"
	"ocaptain/ui/planmake"
	"ocaptain/ui/words"
)

// maxTries is how often defects may be sent back to the agent: more tries cost money and do not help.
const maxTries = 20

func planMakeCmd(b *bridge) *cobra.Command {
	var repo, dir string
	var force bool
	tries := 3
	cmd := &cobra.Command{
		Use:   "make GOAL",
		Short: "Have an agent read a repository and make a plan",
		Long: `Have an agent read a repository and make a plan for a goal. The agent is Claude Code, started on this machine with your
login. It can run no command, reads nothing but the repository and writes nothing but a draft beside the plan's place;
settings, hooks and servers of the repository are not used, nor are yours. What "plan check" finds wrong with the draft is
sent back to it. A draft that can sail becomes the plan; another one stays where it is.

The repository is that of --repo, which is fetched for as long as it takes if it is not on this machine, else the one
around the present directory, else none: a fresh one.`,
		Example: `ocaptain plan make "add login with passkeys"
ocaptain plan make "a to-do list app" --repo none --dir plans/todo
ocaptain plan make "port the tests to pytest" --repo owner/repo --model opus`,
		Args: wantArgs("GOAL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case strings.TrimSpace(args[0]) == "":
				return usageError("the goal is empty; say what the plan is for")
			case tries < 0 || tries > maxTries:
				return usageError("--tries is %d; give a number from 0 to %d", tries, maxTries)
			}
			c, err := b.config(cmd)
			if err != nil {
				return err
			}
			b.tellIgnored(c)
			return b.makePlan(cmd.Context(), c, planmake.Order{Goal: args[0], Force: force, Tries: tries, Model: c.Model}, repo, dir)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&repo, "repo", "r", "", "repository to plan for: owner/repo, a URL, a path, or none")
	f.StringVarP(&dir, "dir", "d", "", "directory of the plan (default plans/ and a name made of the goal)")
	f.IntVar(&tries, "tries", tries, "how often defects are sent back to the agent")
	f.BoolVarP(&force, "force", "f", false, "put a plan aside that is there already")
	f.String("agent", "", "the agent that makes the plan (default claude)")
	f.String("model", "", "model that the agent is asked to use")
	return cmd
}

// makePlan completes an order, lets an agent make the plan, and reports the result.
func (b *bridge) makePlan(ctx context.Context, c config.Config, o planmake.Order, repo, dir string) error {
	if dir == "" {
		dir = filepath.Join("plans", planmake.Name(o.Goal))
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(b.cwd, dir)
	}
	o.Dir = dir
	say := b.say
	done, err := b.planner(ctx, c, &o, say)
	defer done()
	if err != nil {
		return err
	}
	gone, err := b.material(ctx, c, &o, repo, say)
	defer gone()
	if err != nil {
		return err
	}
	m, err := planmake.Make(ctx, o, say)
	return b.madePlan(o, m, err)
}

// say prints the progress of making a plan.
func (b *bridge) say(text string) {
	fmt.Fprintln(b.err, words.FitWidth("  "+clean.Line(text), b.width))
}

// planner chooses the agent that makes the plan. The caller must call done in the end.
func (b *bridge) planner(ctx context.Context, c config.Config, o *planmake.Order, say func(string)) (done func(), err error) {
	done = func() {}
	if o.Agent, err = c.FindAgent(c.Agent); err != nil {
		return done, newExitError(Usage, "", "%w (from %s)", err, c.SourceOf("agent"))
	}
	if o.Agent.Headless == nil || o.Agent.Headless.Plan == nil {
		return done, newExitError(Usage, "use --agent claude", "agent %s cannot make plans", o.Agent.Name)
	}
	env, wrong := logins.Environ(o.Agent, c, b.environ)
	if wrong != nil {
		return done, orderError(wrong)
	}
	o.Env = append(outside(env), "DISABLE_AUTOUPDATER=1")
	release, err := launch.FindRelease(ctx, o.Agent, c.AgentVersion(o.Agent.Name))
	if err != nil {
		return done, orderError(err)
	}
	o.Agent = o.Agent.At(release)
	o.Program, err = ownAgent(ctx, b.hub, o.Agent, say)
	return done, err
}

// outside removes the variables that a Claude Code sets for its children. If one has started ocaptain, a Claude Code
// with these variables would take itself for a part of it.
func outside(env []string) []string {
	var left []string
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		if name != "CLAUDECODE" && name != "CLAUDE_PID" && name != "CLAUDE_CODE_ENTRYPOINT" && name != "CLAUDE_CODE_SESSION_ID" {
			left = append(left, kv)
		}
	}
	return left
}

// madePlan reports the result of an order.
func (b *bridge) madePlan(o planmake.Order, m planmake.Made, err error) error {
	where := ""
	if m.Draft != "" {
		where = "what there is of it is in " + m.Draft
	}
	var trouble *agent.Failure
	switch {
	case errors.Is(err, planmake.ErrThere) && m.Draft != "":
		return newExitError(Refused, "it came there while the agent worked; the new plan is in "+m.Draft, "%w", err)
	case errors.Is(err, planmake.ErrThere):
		return newExitError(Refused, "name another directory with --dir, or put it aside with --force", "%w", err)
	case errors.As(err, &trouble):
		return newExitError(Failed, strings.TrimSpace(trouble.Fix+"\n"+where), "%s", trouble.Text)
	case err != nil:
		return newExitError(Failed, where, "%w", err)
	}
	if len(m.Defects) > 0 {
		printDefects(b.out, m.Plan, m.Defects)
	}
	if m.Draft != "" {
		return newExitError(Failed, "correct it, look again with: ocaptain plan check "+b.shortPath(m.Draft)+"\nor try again with more --tries, or in other words",
			"the plan still has %s; it is left in %s", words.Counted(m.Defects.Errors(), "error"), m.Draft)
	}
	graphtext.Write(b.out, m.Plan)
	fmt.Fprintln(b.out)
	if m.Aside != "" {
		fmt.Fprintln(b.out, clean.Line("The plan that was there is now in "+b.shortPath(m.Aside)))
	}
	cost := ""
	if m.Cost > 0 {
		cost = theme.Dim.Render(fmt.Sprintf(" ($%.2f)", m.Cost))
	}
	fmt.Fprintf(b.out, "%s the plan is in %s%s\n", theme.Yes.Style.Render(theme.Yes.Glyph), clean.Line(b.shortPath(o.Dir)), cost)
	for _, h := range [][2]string{{"read", b.shortPath(filepath.Join(o.Dir, "spec.md"))}, {"sail", "ocaptain sail " + b.shortPath(o.Dir)}} {
		fmt.Fprintf(b.out, "  %-7s %s\n", h[0], clean.Line(h[1]))
	}
	return nil
}

// shortPath returns a path as the captain would type it here.
func (b *bridge) shortPath(path string) string {
	if rel, err := filepath.Rel(b.cwd, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

// repoFor returns the name by which a plan in dir refers to the repository at source: a relative path when the
// repository lies inside dir, so that both can be moved together.
func repoFor(dir, source string) tasks.Repo {
	if in, err := filepath.Rel(source, dir); err == nil && filepath.IsLocal(in) {
		if rel, err := filepath.Rel(dir, source); err == nil {
			return tasks.Repo{Kind: tasks.RepoPath, Name: filepath.ToSlash(rel)}
		}
	}
	return tasks.Repo{Kind: tasks.RepoPath, Name: source}
}
