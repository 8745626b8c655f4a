package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"ocaptain/fleet/dispatch"
	"ocaptain/fleet/need"

	"github.com/spf13/cobra"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/retry"
	"ocaptain/tasks"
	"ocaptain/theme"
	"ocaptain/ui/changes"
	"ocaptain/ui/words"
)

func poolHistoryCmd(b *bridge) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "history [REPO|WORKER]",
		Short: "List dispatches: the command, who did it, how long it took, and what came of it",
		Long: `List the dispatches of all pools, of one, or of one worker, the oldest first. Those of workers that are gone are there
as well, and so are those of a pool that was sunk, by its id. A name of both a pool and a worker is the pool's.`,
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
	jsonFlag(cmd, &asJSON, reflect.TypeFor[[]dispatch.Result]())
	return cmd
}

// history lists the dispatches of a pool or a worker, or for "" of all pools.
func (b *bridge) history(ctx context.Context, name string) ([]dispatch.Result, error) {
	b.withhold()
	dirs, err := fleet.Voyages(b.hub.Voyages).List()
	if err != nil {
		return nil, err
	}
	isPool, isWorker := name == "", false
	out, done := []dispatch.Result{}, []dispatch.Result{} // done holds the dispatches of a worker of that name
	for _, d := range dirs {
		info, err := fleet.LoadVoyage(d)
		if err != nil || !info.Kind.TakesDispatches() {
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
		if name == "" || info.Name == name || d.ID() == name {
			isPool, out = true, append(out, all...)
			continue
		}
		isWorker = isWorker || onlyShip(v.Ships, name) != nil
		for i := range all {
			if all[i].Worker == name {
				isWorker, done = true, append(done, all[i])
			}
		}
	}
	switch {
	case isPool: // a pool of that name counts before a worker
	case isWorker:
		out = done
	default:
		return nil, newExitError(NotFound, "see: ocaptain pool history", "there is no pool and no worker %q", clean.Line(name))
	}
	slices.SortStableFunc(out, func(a, b dispatch.Result) int { return a.Asked.Compare(b.Asked) })
	return out, nil
}

// dispatches lists the dispatches of a pool, with what git says about their work while the workspace is there.
func dispatches(ctx context.Context, d fleet.Dir, v *view) ([]dispatch.Result, error) {
	all, err := dispatch.List(d, &v.Board)
	for i := range all {
		r := &all[i]
		if r.State != dispatch.Done || r.Commit == r.Base {
			continue
		}
		size, err := changes.Change{Base: r.Base, Head: r.Commit}.Size(ctx, d)
		if err != nil {
			continue
		}
		r.Changed, r.Added, r.Removed = size.Files, size.Added, size.Removed
		// The newest commit is not the worker's: it is the state of the worker's tree at the end.
		if n, err := changes.Output(ctx, d.Workspace(), "rev-list", "--count", r.Base+"..refs/ocaptain/tasks/"+r.Task+"^"); err == nil {
			r.Commits, _ = strconv.Atoi(strings.TrimSpace(n))
		}
	}
	return all, err
}

// writeDispatch shows one dispatch.
func writeDispatch(w io.Writer, r *dispatch.Result, now time.Time, width int) {
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

// dispatchFacts returns the figures of a dispatch.
func dispatchFacts(r *dispatch.Result, now time.Time) string {
	var facts []string
	switch {
	case !r.Ended.IsZero():
		facts = append(facts, "took "+words.Duration(r.Ended.Sub(r.Began)), words.Since(now, r.Ended))
	case r.State == dispatch.Running && !r.Began.IsZero():
		facts = append(facts, "for "+words.Age(now.Sub(r.Began)))
	case r.State == dispatch.Queued:
		facts = append(facts, "for "+words.Age(now.Sub(r.Asked)))
	}
	if r.State == dispatch.Done {
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

// awaitDispatch waits until a dispatch is done, failed or needs the captain, and returns its result. It returns an error unless
// the dispatch is done.
func (b *bridge) awaitDispatch(ctx context.Context, d fleet.Dir, task string, asJSON bool) (*dispatch.Result, error) {
	for {
		v, err := b.readLive(ctx, d)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(v.Tasks, func(t tasks.State) bool { return t.ID == task })
		if i >= 0 { // if the index is -1, the board is older than the dispatch
			needs := needsOfTask(&v, &v.Tasks[i])
			if v.Tasks[i].Status == tasks.Completed || len(needs) > 0 || v.Phase == fleet.Sunk {
				return b.sayOutcome(ctx, d, &v, task, needs, asJSON)
			}
		}
		if err := retry.Sleep(ctx, glance); err != nil {
			return nil, err
		}
	}
}

// needsOfTask leaves out needs that do not hinder a task. A task that waits in the queue is hindered by the needs of workers
// when every worker that could take it has one.
func needsOfTask(v *view, t *tasks.State) []need.Need {
	troubled := func(ship string) bool {
		return slices.ContainsFunc(v.Needs, func(n need.Need) bool { return slices.Contains(n.Ships, ship) })
	}
	worker := t.Worker()
	well := slices.ContainsFunc(v.Ships, func(s fleet.ShipView) bool {
		return (worker == "" || worker == s.Name) && !troubled(s.Name)
	})
	return slices.DeleteFunc(slices.Clone(v.Needs), func(n need.Need) bool {
		switch {
		case len(n.Ships) > 0 && t.Owner == "":
			return well
		case len(n.Ships) > 0:
			return !slices.Contains(n.Ships, t.Owner)
		}
		return n.Task != "" && n.Task != t.ID
	})
}

// sayOutcome prints the result of a dispatch, and returns the error with its exit code.
func (b *bridge) sayOutcome(ctx context.Context, d fleet.Dir, v *view, task string, needs []need.Need, asJSON bool) (*dispatch.Result, error) {
	all, err := dispatches(ctx, d, v)
	if err != nil {
		return nil, err
	}
	r := &all[slices.IndexFunc(all, func(r dispatch.Result) bool { return r.Task == task })]
	done := r.State == dispatch.Done
	switch {
	case asJSON:
		err = printJSON(b.raw, r)
	case done:
		writeDispatch(b.out, r, b.now(), b.width)
		fmt.Fprintf(b.out, "  look at it with: ocaptain diff %s --voyage %s\n", r.Task, clean.Line(r.Pool))
		if r.Changed > 0 {
			fmt.Fprintf(b.out, "  bring it into your checkout with: %s\n", "ocaptain take "+r.Task+" --voyage "+d.ID())
		}
	default:
		writeDispatch(b.out, r, b.now(), b.width)
		writeNeeds(b.out, needs, b.now(), b.width)
	}
	if err == nil && !done {
		err = silent(Failed)
	}
	return r, err
}
