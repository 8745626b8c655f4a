package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/retry"
	"ocaptain/tasks"
	"ocaptain/theme"
	"ocaptain/ui/changes"
	"ocaptain/ui/cli/config"
	"ocaptain/ui/words"
)

func poolCmd(b *bridge) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "pool",
		Short: "Show and change pools of workers, and what they did",
		Long: `A pool has long-lived workers of one repository, which ocaptain dispatch gives work to. It is a voyage: logs, messages,
shell, diff and sink work with the pool's name.`,
		Example: `ocaptain pool
ocaptain pool add kite -n 2
ocaptain pool drain kite-2
ocaptain pool history kite`,
	}
	status := poolStatusCmd(b)
	cmd.Args, cmd.RunE = wantArgs(), func(cmd *cobra.Command, _ []string) error { return status.RunE(cmd, nil) }
	cmd.AddCommand(status, poolAddCmd(b), poolRmCmd(b), poolDrainCmd(b), poolHistoryCmd(b), poolLogCmd(b))
	return cmd
}

// pools lists the pools that are not sunk: that of a name, or all.
func (b *bridge) pools(name string) ([]fleet.Dir, error) {
	b.withhold()
	dirs, err := fleet.Voyages(b.hub.Voyages).List()
	if err != nil {
		return nil, err
	}
	var names []string
	pools := slices.DeleteFunc(dirs, func(d fleet.Dir) bool {
		v, err := fleet.LoadVoyage(d)
		if err != nil || v.Kind != fleet.Pool {
			return true
		}
		f, err := fleet.LoadFleet(d)
		sunk := err == nil && f.Phase == fleet.Sunk
		if !sunk {
			names = append(names, clean.Line(v.Name))
		}
		return sunk || name != "" && v.Name != name && d.ID() != name
	})
	if name != "" && len(pools) == 0 {
		advice := "make one with: ocaptain dispatch --repo . --command TEXT"
		if len(names) > 0 {
			advice = "there are: " + strings.Join(names, ", ")
		}
		return nil, newExitError(NotFound, advice, "there is no pool %q", clean.Line(name))
	}
	return pools, nil
}

// worker returns the pool that has a worker of that name.
func (b *bridge) worker(name string) (fleet.Dir, error) {
	pools, err := b.pools("")
	if err != nil {
		return "", err
	}
	var names []string
	for _, d := range pools {
		f, err := fleet.LoadFleet(d)
		if err != nil {
			continue
		}
		for _, s := range f.Ships {
			if s.Name == name {
				return d, nil
			}
			names = append(names, clean.Line(s.Name))
		}
	}
	advice := "see: ocaptain pool status"
	if len(names) > 0 {
		advice = "there are: " + strings.Join(names, ", ")
	}
	return "", newExitError(NotFound, advice, "there is no worker %q", clean.Line(name))
}

func (b *bridge) completePools(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	pools, _ := b.pools("")
	var names []string
	for _, d := range pools {
		if v, err := fleet.LoadVoyage(d); err == nil {
			names = append(names, clean.Line(v.Name))
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func (b *bridge) completeWorkers(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	pools, _ := b.pools("")
	var names []string
	for _, d := range pools {
		if f, err := fleet.LoadFleet(d); err == nil {
			for _, s := range f.Ships {
				names = append(names, clean.Line(s.Name))
			}
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func poolStatusCmd(b *bridge) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:               "status [REPO]",
		Short:             "Show pools: who does what, and what waits",
		Example:           "ocaptain pool status\nocaptain pool status kite --json",
		Args:              wantArgs("[REPO]"),
		ValidArgsFunction: b.completePools,
		RunE: func(cmd *cobra.Command, args []string) error {
			pools, err := b.pools(strings.Join(args, ""))
			if err != nil {
				return err
			}
			views := []view{}
			for _, d := range pools {
				v, err := b.readLive(cmd.Context(), d)
				if err != nil {
					return err
				}
				views = append(views, v)
			}
			if asJSON {
				return printJSON(b.raw, views)
			}
			if len(views) == 0 {
				fmt.Fprintln(b.out, "There are no pools. Make one with: ocaptain dispatch --repo . --command TEXT")
			}
			for i := range views {
				writePool(b.out, &views[i], b.now(), b.width)
			}
			return nil
		},
	}
	jsonFlag(cmd, &asJSON)
	return cmd
}

// writePool shows one pool.
func writePool(w io.Writer, v *view, now time.Time, width int) {
	writeNeeds(w, v.Needs, now, width)
	fmt.Fprintf(w, "%s  %s\n", theme.Title.Render(clean.Line(v.Voyage.Name)), theme.Dim.Render(clean.Line(v.Voyage.Repo+"  "+v.Voyage.ID)))
	t := table{heads: []string{"WORKER", "STATE", "FOR", "DISPATCH"}, flex: 3}
	for i := range v.Ships {
		s := &v.Ships[i]
		look, doing := theme.Status(s.Status.Word), ""
		for j := range v.Tasks {
			if task := &v.Tasks[j]; task.ID == s.Task || task.ReservedFor == s.Name {
				doing = task.ID + " " + task.Subject
			}
		}
		if since := s.Committed; s.Nudges > 0 {
			doing += fmt.Sprintf(" (no commit for %s)", words.Age(now.Sub(since)))
		}
		if s.Draining {
			doing = strings.TrimSpace(doing + " (drained: it goes then)")
		}
		t.add(cell{s.Name, theme.ShipStyle(s.Name)}, cell{look.String(), theme.Plain}, cell{words.Age(now.Sub(s.Status.Since)), theme.Dim}, cell{clean.Line(doing), theme.Plain})
	}
	if len(v.Ships) > 0 {
		t.write(w, width)
	}
	place := 0
	for i := range v.Tasks {
		if task := &v.Tasks[i]; task.Owner == "" && task.ReservedFor == "" && !task.OnHold {
			place++
			fmt.Fprintln(w, words.FitWidth(fmt.Sprintf("%4d. dispatch %s waits: %s", place, task.ID, clean.Line(task.Subject)), width))
		}
	}
	fmt.Fprintln(w)
}

func poolAddCmd(b *bridge) *cobra.Command {
	var from string
	n := 1
	cmd := &cobra.Command{
		Use:               "add REPO",
		Short:             "Add workers to a pool",
		Example:           "ocaptain pool add kite -n 2",
		Args:              wantArgs("REPO"),
		ValidArgsFunction: b.completePools,
		RunE: func(cmd *cobra.Command, args []string) error {
			if n < 1 || n > config.MostShips {
				return usageError("--ships is %d; give a number from 1 to %d", n, config.MostShips)
			}
			pools, err := b.pools(args[0])
			if err != nil {
				return err
			}
			if from != "" {
				if n, err = b.checkRoomFor(cmd, pools[0], from, n); err != nil {
					return err
				}
			}
			client, err := b.connectHelm(cmd.Context())
			if err != nil {
				return err
			}
			return client.AddShips(cmd.Context(), pools[0].ID(), api.AddRequest{Ships: n, Provider: from}, b.reporter().report)
		},
	}
	cmd.Flags().IntVarP(&n, "ships", "n", 1, "how many")
	cmd.Flags().StringVar(&from, "provider", "", "where they come from, when not from where the others do")
	return cmd
}

func poolRmCmd(b *bridge) *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use:               "rm WORKER",
		Short:             "Destroy a worker; what it does goes back into the queue",
		Example:           "ocaptain pool rm kite-2",
		Args:              wantArgs("WORKER"),
		ValidArgsFunction: b.completeWorkers,
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := b.worker(args[0])
			if err != nil {
				return err
			}
			return b.endShip(cmd.Context(), d, args[0], "destroy %s", force, (*api.Client).RemoveShip)
		},
	}
	cmd.Flags().BoolVarP(&force, "force", "f", false, "do not ask")
	return cmd
}

func poolDrainCmd(b *bridge) *cobra.Command {
	return &cobra.Command{
		Use:               "drain WORKER",
		Short:             "Let a worker finish what it does and go; it gets no more",
		Example:           "ocaptain pool drain kite-2",
		Args:              wantArgs("WORKER"),
		ValidArgsFunction: b.completeWorkers,
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := b.worker(args[0])
			if err != nil {
				return err
			}
			client, err := b.connectHelm(cmd.Context())
			if err != nil {
				return err
			}
			if err := client.Drain(cmd.Context(), d.ID(), args[0]); err != nil {
				return err
			}
			fmt.Fprintf(b.out, "%s gets no more, and goes when it is done\n", clean.Line(args[0]))
			return nil
		},
	}
}

func poolHistoryCmd(b *bridge) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "history [REPO|WORKER]",
		Short: "List dispatches: the command, who did it, how long it took, and what came of it",
		Long: `List the dispatches of all pools, of one, or of one worker, the oldest first. Those of workers that are gone are there
as well, and so are those of a pool that was sunk, by its id.`,
		Example: `ocaptain pool history kite
ocaptain pool history kite-2 --json | jq '.[].branch'`,
		Args:              wantArgs("[REPO|WORKER]"),
		ValidArgsFunction: b.completePools,
		RunE: func(cmd *cobra.Command, args []string) error {
			all, err := b.history(cmd.Context(), strings.Join(args, ""))
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(b.raw, all)
			}
			if len(all) == 0 {
				fmt.Fprintln(b.out, "Nothing was dispatched.")
			}
			for i := range all {
				writeDispatch(b.out, &all[i], b.now(), b.width)
			}
			return nil
		},
	}
	jsonFlag(cmd, &asJSON)
	return cmd
}

func poolLogCmd(b *bridge) *cobra.Command {
	return &cobra.Command{
		Use:   "log [REPO]",
		Short: "Print how workers stood, a line for each every half hour",
		Long: `Print how the workers of pools stood: the time, the worker, its state and what it did. Helm looks every pools.check (30
minutes). The lines of before are in status.log.1 of the pool's directory once the log has a megabyte.`,
		Example:           "ocaptain pool log kite",
		Args:              wantArgs("[REPO]"),
		ValidArgsFunction: b.completePools,
		RunE: func(_ *cobra.Command, args []string) error {
			pools, err := b.pools(strings.Join(args, ""))
			if err != nil {
				return err
			}
			for _, d := range pools {
				raw, err := os.ReadFile(d.StatusLog())
				if err != nil && !errors.Is(err, fs.ErrNotExist) {
					return err
				}
				fmt.Fprint(b.out, clean.Text(string(raw)))
			}
			return nil
		},
	}
}

// history lists the dispatches of a pool or a worker, of all pools without a name.
func (b *bridge) history(ctx context.Context, name string) ([]fleet.DispatchResult, error) {
	b.withhold()
	dirs, err := fleet.Voyages(b.hub.Voyages).List()
	if err != nil {
		return nil, err
	}
	known := name == ""
	out := []fleet.DispatchResult{}
	for _, d := range dirs {
		info, err := fleet.LoadVoyage(d)
		if err != nil || info.Kind != fleet.Pool {
			continue
		}
		v, err := b.readLive(ctx, d)
		if err != nil {
			return nil, err
		}
		all, err := dispatches(ctx, d, &v)
		if err != nil {
			return nil, err
		}
		whole := name == "" || info.Name == name || d.ID() == name
		known = known || whole || onlyShip(v.Ships, name) != nil
		for i := range all {
			if whole || all[i].Worker == name {
				out, known = append(out, all[i]), true
			}
		}
	}
	if !known {
		return nil, newExitError(NotFound, "see: ocaptain pool history", "there is no pool and no worker %q", clean.Line(name))
	}
	slices.SortStableFunc(out, func(a, b fleet.DispatchResult) int { return a.Asked.Compare(b.Asked) })
	return out, nil
}

// dispatches lists those of a pool, with what git tells of their work while it is there.
func dispatches(ctx context.Context, d fleet.Dir, v *view) ([]fleet.DispatchResult, error) {
	all, err := fleet.Dispatches(d, &v.Board)
	for i := range all {
		r := &all[i]
		if r.State != fleet.DispatchDone || r.Commit == r.Base {
			continue
		}
		files, err := changes.Change{Base: r.Base, Head: r.Commit}.ListFiles(ctx, d, true)
		if err != nil {
			continue
		}
		r.Changed = len(files)
		for _, f := range files {
			r.Added, r.Removed = r.Added+max(0, f.Added), r.Removed+max(0, f.Removed)
		}
		// The newest is the state in which its tree was, not its own.
		if n, err := changes.Output(ctx, d.Workspace(), "rev-list", "--count", r.Base+"..refs/ocaptain/tasks/"+r.Task+"^"); err == nil {
			r.Commits, _ = strconv.Atoi(strings.TrimSpace(n))
		}
	}
	return all, err
}

// writeDispatch shows one dispatch.
func writeDispatch(w io.Writer, r *fleet.DispatchResult, now time.Time, width int) {
	line := fmt.Sprintf("%s  %s %s", theme.DispatchState(r.State).String(), r.Pool, r.Task)
	if r.Worker != "" {
		line += "  " + theme.ShipStyle(r.Worker).Render(clean.Line(r.Worker))
	}
	line += "  " + theme.Dim.Render(dispatchFacts(r, now))
	fmt.Fprintln(w, words.FitWidth(line, width))
	fmt.Fprintln(w, words.FitWidth("  "+words.FirstLine(clean.Line(r.Command)), width))
	if last := cmp.Or(r.Why, r.Said); last != "" {
		fmt.Fprintln(w, words.FitWidth(theme.Dim.Render("  "+words.FirstLine(clean.Line(last))), width))
	}
}

// dispatchFacts are the figures of a dispatch.
func dispatchFacts(r *fleet.DispatchResult, now time.Time) string {
	var facts []string
	switch {
	case !r.Ended.IsZero():
		facts = append(facts, "took "+words.Duration(r.Ended.Sub(r.Began)), words.Since(now, r.Ended))
	case r.State == fleet.DispatchRunning && !r.Began.IsZero():
		facts = append(facts, "for "+words.Age(now.Sub(r.Began)))
	case r.State == fleet.DispatchQueued:
		facts = append(facts, "for "+words.Age(now.Sub(r.Asked)))
	}
	if r.State == fleet.DispatchDone {
		facts = append(facts, fmt.Sprintf("%s changed (+%d -%d)", words.Counted(r.Changed, "file"), r.Added, r.Removed))
		if r.Commits > 0 {
			facts = append(facts, words.Counted(r.Commits, "commit"))
		}
		facts = append(facts, r.Branch)
	}
	if r.Usage.CostUSD > 0 {
		facts = append(facts, words.Dollars(r.Usage.CostUSD))
	} else if r.Usage.Tokens > 0 {
		facts = append(facts, words.Amount(r.Usage.Tokens)+" tokens")
	}
	return clean.Line(strings.Join(facts, ", "))
}

// awaitDispatch waits until a dispatch is done, failed or needs the captain, and says which. Unless it is done there is an error.
func (b *bridge) awaitDispatch(ctx context.Context, d fleet.Dir, task string, asJSON bool) (*fleet.DispatchResult, error) {
	for {
		v, err := b.readLive(ctx, d)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(v.Tasks, func(t tasks.State) bool { return t.ID == task })
		if i >= 0 { // else the board is older than the dispatch
			needs := needsOfTask(v.Needs, &v.Tasks[i])
			if v.Tasks[i].Status == tasks.Completed || len(needs) > 0 || v.Phase == fleet.Sunk {
				return b.sayOutcome(ctx, d, &v, task, needs, asJSON)
			}
		}
		if err := retry.Sleep(ctx, glance); err != nil {
			return nil, err
		}
	}
}

// needsOfTask leaves out what waits for the captain and does not hinder a task.
func needsOfTask(all []fleet.Need, t *tasks.State) []fleet.Need {
	return slices.DeleteFunc(slices.Clone(all), func(n fleet.Need) bool {
		if len(n.Ships) > 0 {
			return !slices.Contains(n.Ships, t.Owner)
		}
		return n.Task != "" && n.Task != t.ID
	})
}

// sayOutcome says what came of a dispatch, and gives the exit code that goes with it.
func (b *bridge) sayOutcome(ctx context.Context, d fleet.Dir, v *view, task string, needs []fleet.Need, asJSON bool) (*fleet.DispatchResult, error) {
	all, err := dispatches(ctx, d, v)
	if err != nil {
		return nil, err
	}
	r := &all[slices.IndexFunc(all, func(r fleet.DispatchResult) bool { return r.Task == task })]
	done := r.State == fleet.DispatchDone
	switch {
	case asJSON:
		err = printJSON(b.raw, r)
	case done:
		writeDispatch(b.out, r, b.now(), b.width)
		fmt.Fprintf(b.out, "  look at it with: ocaptain diff %s --voyage %s\n", r.Task, clean.Line(r.Pool))
	default:
		writeDispatch(b.out, r, b.now(), b.width)
		writeNeeds(b.out, needs, b.now(), b.width)
	}
	if err == nil && !done {
		err = silent(Failed)
	}
	return r, err
}
