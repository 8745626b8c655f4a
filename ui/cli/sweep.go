package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"time"

	"ocaptain/fleet/mix"

	"github.com/spf13/cobra"

	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/machines"
	"ocaptain/fleet/provider/registry"
	"ocaptain/theme"
	"ocaptain/ui/cli/config"
	"ocaptain/ui/launch"
	"ocaptain/ui/launch/logins"
	"ocaptain/ui/words"
)

func sweepCmd(b *bridge) *cobra.Command {
	var dry, force, asJSON bool
	var providers []string
	cmd := &cobra.Command{
		Use:   "sweep [NAME...]",
		Short: "Find and destroy machines that no voyage has",
		Long: `Find machines that this install of ocaptain made and that no voyage has any more, and destroy them. Work that is on
one which can be reached is brought home before, to ~/voyages/left-behind. What they have on the tailnet goes with them.

Machines that look like ocaptain's and are another install's, or nobody's, are listed apart. Such a machine is destroyed
only when it is named, and its name typed once more.

A machine whose work cannot be brought home is left as it is, unless with --force. Where ~/voyages is not there, or has none of the
voyages whose machines are remembered, as when a disk is not mounted, nothing is destroyed that is not named.

The exit code is 1 when a provider could not be asked, or a machine not be destroyed.`,
		Example: `ocaptain sweep --dry-run
ocaptain sweep --provider sprites --force
ocaptain sweep voyage-3f9a00112233-ship0`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if asJSON && !dry && !force {
				return usageError("--json asks nothing: add --dry-run, or --force to destroy")
			}
			found, err := b.survey(cmd, providers)
			if err != nil {
				return err
			}
			chosen, others, err := pickOrphans(found, args)
			if err != nil {
				return err
			}
			if asJSON {
				if err := printJSON(b.raw, found); err != nil {
					return err
				}
			} else {
				writeSweep(b.out, found, b.now(), b.width)
			}
			if err := refuseUnsure(found, args, force); err != nil && !dry {
				return err
			}
			if !dry {
				err = b.sweepMachines(cmd.Context(), chosen, others, force, force || len(args) > 0)
			}
			if err == nil && len(found.Unasked) > 0 {
				return silent(Failed)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&dry, "dry-run", false, "destroy nothing")
	cmd.Flags().BoolVarP(&force, "force", "f", false, "do not ask, and lose work that cannot be brought home; machines of other installs are left alone")
	cmd.Flags().StringSliceVar(&providers, "provider", nil, "ask these alone")
	jsonFlag(cmd, &asJSON, reflect.TypeFor[api.Sweep]())
	return cmd
}

// survey asks helm for machines that belong to no voyage. First it gives helm the captain's logins that helm lacks.
func (b *bridge) survey(cmd *cobra.Command, providers []string) (api.Sweep, error) {
	var none api.Sweep
	for _, name := range providers {
		if !slices.Contains(launch.Providers(), name) {
			return none, usageError("there is no provider %q; there are: %s", name, strings.Join(launch.Providers(), ", "))
		}
	}
	ctx := cmd.Context()
	c, err := b.config(&cobra.Command{}) // --provider is not a setting here
	if err != nil {
		return none, err
	}
	var unasked []api.Unasked
	asks := func(name string) bool { return len(providers) == 0 || slices.Contains(providers, name) }
	var also []string
	for _, d := range registry.All() {
		if !asks(d.Name) || !d.IsConfigured(c.Variable) {
			continue
		}
		if _, err := proveLogin(ctx, d, logins.Captain(b.hub, c)); err != nil {
			unasked = append(unasked, api.Unasked{Provider: d.Name, Why: err.Error()})
		} else {
			also = append(also, d.Name)
		}
	}
	if len(providers) == 0 {
		also = append(also, chosenProviders(c)...)
	}
	client, err := b.connectHelm(ctx)
	if err != nil {
		return none, err
	}
	found, err := client.Orphans(ctx, providers, also)
	for _, u := range unasked { // its error says more than helm could
		found.Unasked = append(slices.DeleteFunc(found.Unasked, func(o api.Unasked) bool { return o.Provider == u.Provider }), u)
	}
	return found, err
}

// chosenProviders returns the providers that the configuration takes ships from.
func chosenProviders(c config.Config) []string {
	mix, err := mix.Parse(c.Provider, launch.Providers())
	if err != nil {
		return nil // doctor reports it
	}
	var all []string
	for _, p := range mix {
		all = append(all, p.Provider)
	}
	return all
}

// refuseUnsure refuses to destroy orphans that the captain did not name while the directories of their voyages may
// only be unreachable.
func refuseUnsure(found api.Sweep, args []string, force bool) error {
	if found.Unsure == "" || len(found.Orphans) == 0 || len(args) > 0 || force {
		return nil
	}
	return newExitError(Refused, "mount it; where voyages are gone for certain, name their machines, or add --force", "nothing was destroyed: %s", found.Unsure)
}

// pickOrphans returns the orphans to destroy: the named ones, or all. It never returns machines of others unless they
// are named.
func pickOrphans(found api.Sweep, names []string) (orphans, others []machines.Orphan, err error) {
	if len(names) == 0 {
		return found.Orphans, nil, nil
	}
	for _, name := range names {
		hit := false
		for _, o := range found.Orphans {
			if o.Name == name {
				orphans, hit = append(orphans, o), true
			}
		}
		for _, o := range found.Others {
			if o.Name == name {
				others, hit = append(others, o), true
			}
		}
		if !hit {
			advice := "see what there is with: ocaptain sweep --dry-run"
			if len(found.Unasked) > 0 {
				advice = "not every provider could be asked; " + advice
			}
			return nil, nil, newExitError(NotFound, advice, "no machine without a voyage is named %q", name)
		}
	}
	return orphans, others, nil
}

// sweepMachines asks the captain, and has helm destroy the machines. sure says that the captain says that the voyages
// are gone.
func (b *bridge) sweepMachines(ctx context.Context, orphans, others []machines.Orphan, force, sure bool) error {
	request := api.SweepRequest{Sure: sure, Lose: force}
	if len(orphans) > 0 {
		if err := b.confirm(ctx, "destroy "+words.Counted(len(orphans), "machine")+" that no voyage has", nil, "", force); err != nil {
			return err
		}
		for _, o := range orphans {
			request.Machines = append(request.Machines, api.Target(o))
		}
	}
	for _, o := range others {
		lost := []string{fmt.Sprintf("%s at %s is not known to be yours: %s", o.Name, o.Provider, o.Why)}
		if err := b.confirm(ctx, "destroy "+o.Name+" at "+o.Provider+" and all that is on it", lost, o.Name, false); err != nil {
			return notForced(err)
		}
		request.Machines, request.Others = append(request.Machines, api.Target(o)), true
	}
	if len(request.Machines) == 0 {
		return nil
	}
	client, err := b.connectHelm(ctx)
	if err != nil {
		return err
	}
	if err := client.Sweep(ctx, request, b.reporter().report); err != nil {
		return err
	}
	fmt.Fprintf(b.out, "%s %s destroyed\n", theme.Yes.Style.Render(theme.Yes.Glyph), words.Counted(len(request.Machines), "machine"))
	return nil
}

// notForced replaces the advice for a machine of another install, as --force does not help there.
func notForced(err error) error {
	var p *exitError
	if !errors.As(err, &p) || p.advice == "" {
		return err
	}
	return newExitError(Refused, "name it on a terminal, or destroy it with the provider's own command", "what another install may have made is destroyed only where its name can be typed")
}

// writeSweep prints the result of a survey.
func writeSweep(w io.Writer, s api.Sweep, now time.Time, width int) {
	if len(s.Orphans) == 0 {
		fmt.Fprintln(w, "Every machine of this install has its voyage.")
	} else {
		fmt.Fprintln(w, theme.Title.Render("Machines that no voyage has"))
		writeOrphans(w, s.Orphans, now, width)
	}
	if s.Unsure != "" {
		writeWarning(w, s.Unsure, width)
	}
	if len(s.Others) > 0 {
		fmt.Fprintln(w)
		fmt.Fprintln(w, theme.Title.Render("Not this install's")+theme.Dim.Render(", which is "+clean.Line(s.Install)+": left alone unless they are named"))
		writeOrphans(w, s.Others, now, width)
	}
	for i, u := range s.Unasked {
		if i == 0 {
			fmt.Fprintln(w)
		}
		writeWarning(w, u.Provider+" was not asked: "+u.Why, width)
	}
}

func writeOrphans(w io.Writer, all []machines.Orphan, now time.Time, width int) {
	t := table{heads: []string{"MACHINE", "PROVIDER", "STATE", "MADE", "WHY"}, flex: 4}
	for _, o := range all {
		made, state := "-", string(o.State)
		if !o.Created.IsZero() {
			made = words.Since(now, o.Created)
		}
		if !o.Seen {
			state = "not seen"
		}
		t.add(cell{o.Name, theme.Plain}, cell{o.Provider, theme.Plain}, cell{state, theme.Dim}, cell{made, theme.Dim}, cell{words.Orphan(o), theme.Plain})
	}
	t.write(w, width)
}
