package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
)

// voyage returns the voyage of that name. For "" it returns the only voyage that is not sunk, or else the only
// voyage.
func (b *bridge) voyage(name string) (fleet.Dir, error) {
	b.withhold()
	all := fleet.Voyages(b.hub.Voyages)
	if name != "" {
		return all.Find(name)
	}
	dirs, err := all.List()
	if err != nil {
		return "", err
	}
	var active []fleet.Dir
	for _, d := range dirs {
		if f, err := fleet.LoadFleet(d); err != nil || f.Phase != fleet.Sunk {
			active = append(active, d)
		}
	}
	if len(active) == 1 {
		return active[0], nil
	}
	return all.Find("")
}

// title returns how texts name a voyage: by its name, and by its id, which is unique.
func title(d fleet.Dir) string {
	v, err := fleet.LoadVoyage(d)
	if err != nil || v.Name == "" || v.Name == d.ID() {
		return d.ID()
	}
	return clean.Line(v.Name) + " (" + d.ID() + ")"
}

// shipName returns the name of a ship of a voyage for what the captain typed: ship-1, or just 1.
func shipName(board fleet.Board, name string) (string, error) {
	var names []string
	for _, s := range board.Ships {
		if s.Name == name || fmt.Sprint(s.Number) == name {
			return s.Name, nil
		}
		names = append(names, s.Name)
	}
	if len(names) == 0 {
		return "", newExitError(NotFound, "", "voyage %s has no ships", board.Voyage.ID)
	}
	return "", newExitError(NotFound, "", "voyage %s has no ship %q; there are: %s", board.Voyage.ID, name, strings.Join(names, ", "))
}

// voyageFlag adds --voyage to a command whose arguments name something else.
func voyageFlag(b *bridge, cmd *cobra.Command, into *string) {
	cmd.Flags().StringVarP(into, "voyage", "v", "", "voyage, when there is more than one")
	_ = cmd.RegisterFlagCompletionFunc("voyage", b.completeVoyages) // fails only for a flag that does not exist
}

// completeVoyages completes the id of a voyage.
func (b *bridge) completeVoyages(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	dirs, _ := fleet.Voyages(b.hub.Voyages).List()
	var ids []string
	for _, d := range dirs {
		about := ""
		if v, err := fleet.LoadVoyage(d); err == nil {
			about = "\t" + clean.Line(v.Name)
		}
		ids = append(ids, d.ID()+about)
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}

// completeShips completes the name of a ship of the voyage that the flag names.
func (b *bridge) completeShips(voyage *string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		d, err := b.voyage(*voyage)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		f, _ := fleet.LoadFleet(d)
		var names []string
		for _, s := range f.Ships {
			names = append(names, clean.Line(s.Name))
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}
