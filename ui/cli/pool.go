package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/theme"
	"ocaptain/ui/launch"
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

// pools lists the pool of that name, or for "" all pools that are not sunk.
func (b *bridge) pools(name string) ([]fleet.Dir, error) {
	b.withhold()
	dirs, err := fleet.Voyages(b.hub.Voyages).List()
	if err != nil {
		return nil, err
	}
	var names []string
	pools := slices.DeleteFunc(dirs, func(d fleet.Dir) bool {
		v, err := fleet.LoadVoyage(d)
		if err != nil || v.PoolName() == "" {
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

// worker returns the pool of the worker with that name.
func (b *bridge) worker(name string) (fleet.Dir, error) {
	all, names, err := b.workers()
	if err != nil {
		return "", err
	}
	if d, ok := all[name]; ok {
		return d, nil
	}
	advice := "see: ocaptain pool status"
	if len(names) > 0 {
		advice = "there are: " + strings.Join(names, ", ")
	}
	return "", newExitError(NotFound, advice, "there is no worker %q", clean.Line(name))
}

// workers returns the pool of each worker by name, and all names, clean to show.
func (b *bridge) workers() (all map[string]fleet.Dir, names []string, err error) {
	pools, err := b.pools("")
	all = map[string]fleet.Dir{}
	for _, d := range pools {
		f, err := fleet.LoadFleet(d)
		if err != nil {
			continue
		}
		for _, s := range f.Ships {
			all[s.Name] = d
			names = append(names, clean.Line(s.Name))
		}
	}
	return all, names, err
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
	_, names, _ := b.workers()
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
	jsonFlag(cmd, &asJSON, reflect.TypeFor[[]view]())
	return cmd
}

// writePool shows one pool.
func writePool(w io.Writer, v *view, now time.Time, width int) {
	writeNeeds(w, v.Needs, now, width)
	fmt.Fprintf(w, "%s  %s\n", theme.Title.Render(clean.Line(v.Voyage.Name)), theme.Dim.Render(clean.Line(v.Voyage.Repo+"  "+v.Voyage.ID)))
	t := table{heads: []string{"WORKER", "STATE", "FOR", "DISPATCH"}, flex: 3}
	mixed := fleet.FromSeveral(v.Ships)
	if mixed {
		t.heads, t.flex = slices.Insert(t.heads, 1, "FROM"), t.flex+1
	}
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
		cells := []cell{{s.Name, theme.ShipStyle(s.Name)}, {look.String(), theme.Plain}, {words.Age(now.Sub(s.Status.Since)), theme.Dim}, {clean.Line(doing), theme.Plain}}
		if mixed {
			cells = slices.Insert(cells, 1, cell{s.Provider, theme.Dim})
		}
		t.add(cells...)
	}
	if len(v.Ships) > 0 {
		t.write(w, width)
	}
	place := 0
	for i := range v.Tasks {
		if task := &v.Tasks[i]; task.IsQueued() {
			place++
			wants := ""
			if d := task.Dispatch(); d.Worker != "" || d.Provider != "" {
				wants = " for " + clean.Line(cmp.Or(d.Worker, "a worker from "+d.Provider))
			}
			fmt.Fprintln(w, words.FitWidth(fmt.Sprintf("%4d. dispatch %s waits%s: %s", place, task.ID, wants, clean.Line(task.Subject)), width))
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
			return b.addShips(cmd, n, launch.More{Provider: from}, "", func() (fleet.Dir, error) {
				pools, err := b.pools(args[0])
				if err != nil {
					return "", err
				}
				return pools[0], nil
			})
		},
	}
	cmd.Flags().IntVarP(&n, "ships", "n", 1, "how many")
	cmd.Flags().StringVar(&from, "provider", "", "where they come from, when not from where the others do")
	return cmd
}

func poolRmCmd(b *bridge) *cobra.Command {
	var force, keep bool
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
			return b.endShip(cmd.Context(), d, args[0], "destroy %s", force, keep, (*api.Client).RemoveShip)
		},
	}
	cmd.Flags().BoolVarP(&force, "force", "f", false, "do not ask")
	keepIgnoredFlag(cmd, &keep)
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
