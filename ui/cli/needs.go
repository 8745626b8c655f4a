package cli

import (
	"context"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"time"

	"ocaptain/fleet/need"

	"github.com/spf13/cobra"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/retry"
	"ocaptain/theme"
	"ocaptain/ui/words"
)

// glance is how often a command that watches needs reads them.
const glance = time.Second

// absence is how long a need must be gone before its return is reported again: a need may disappear briefly when helm
// restarts.
const absence = time.Minute

func needsCmd(b *bridge) *cobra.Command {
	var asJSON, watch bool
	cmd := &cobra.Command{
		Use:   "needs [VOYAGE]",
		Short: "List what waits for you, and what to do about it",
		Long: `List everything that does not go on, or goes on wrongly, without you: of all voyages, the most urgent first. Each says who,
why, since when, and the one thing that helps. The kinds are in: ocaptain help attention

With --watch, each one is printed when it comes up, until you interrupt it.`,
		Example: `ocaptain needs
ocaptain needs --watch
ocaptain needs --json | jq -r '.[].command'`,
		Args:              wantArgs("[VOYAGE]"),
		ValidArgsFunction: b.completeVoyages,
		RunE: func(cmd *cobra.Command, args []string) error {
			name := strings.Join(args, "")
			if watch {
				return b.watchNeeds(cmd.Context(), name, asJSON)
			}
			all, err := b.needsOf(cmd.Context(), name)
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(b.raw, all)
			}
			if len(all) == 0 {
				fmt.Fprintln(b.out, "Nothing needs you.")
			}
			writeNeeds(b.out, all, b.now(), b.width)
			return nil
		},
	}
	jsonFlag(cmd, &asJSON, reflect.TypeFor[[]need.Need](), reflect.TypeFor[need.Need]())
	cmd.Flags().BoolVarP(&watch, "watch", "w", false, "print each one when it comes up")
	return cmd
}

// needsOf lists the needs of one voyage, or of all voyages when name is "".
func (b *bridge) needsOf(ctx context.Context, name string) ([]need.Need, error) {
	dirs, err := b.sailing(name)
	var views []view
	for _, d := range dirs {
		v, err := b.read(ctx, d)
		if err != nil {
			return nil, err
		}
		views = append(views, v)
	}
	return needsIn(views...), err
}

// needsIn lists the needs of some voyages. Needs of the whole install are on every board, and listed once.
func needsIn(views ...view) []need.Need {
	all := []need.Need{}
	for _, v := range views {
		for _, n := range v.Needs {
			if !slices.ContainsFunc(all, func(old need.Need) bool { return old.ID() == n.ID() }) {
				all = append(all, n)
			}
		}
	}
	return all
}

// sailing returns the voyage of that name, or all voyages that are not sunk when name is "".
func (b *bridge) sailing(name string) ([]fleet.Dir, error) {
	all := fleet.Voyages(b.hub.Voyages)
	if name != "" {
		d, err := all.Find(name)
		return []fleet.Dir{d}, err
	}
	dirs, err := all.List()
	return slices.DeleteFunc(dirs, func(d fleet.Dir) bool {
		f, err := fleet.LoadFleet(d)
		return err == nil && f.Phase == fleet.Sunk
	}), err
}

// toldNeeds holds when each reported need was last there, by its id.
type toldNeeds map[string]time.Time

// news returns the needs that were not there for absence, and notes that all of them are there now.
func (t toldNeeds) news(all []need.Need, now time.Time) (news []need.Need) {
	for i := range all {
		id := all[i].ID()
		if now.Sub(t[id]) >= absence {
			news = append(news, all[i])
		}
		t[id] = now
	}
	return news
}

// watchNeeds prints each need when it comes up.
func (b *bridge) watchNeeds(ctx context.Context, name string, asJSON bool) error {
	told := toldNeeds{}
	for {
		all, err := b.needsOf(ctx, name)
		if err != nil {
			return err
		}
		news := told.news(all, b.now())
		for i := range news {
			if asJSON {
				err = printJSONLine(b.raw, &news[i])
			} else {
				writeNeeds(b.out, news[i:i+1], b.now(), b.width)
			}
			if err != nil {
				return err
			}
		}
		if err := retry.Sleep(ctx, glance); err != nil {
			return err
		}
	}
}

// writeNeeds prints needs: which ship or task, why, since when, and what to do. It shortens nothing and does not even
// wrap commands, as the captain reads reasons and copies commands.
func writeNeeds(w io.Writer, all []need.Need, now time.Time, width int) {
	several := slices.ContainsFunc(all, func(n need.Need) bool { return n.Voyage != "" && n.Voyage != all[0].Voyage })
	for i := range all {
		n := &all[i]
		text := theme.Warn.Style.Render(theme.Warn.Glyph+" "+clean.Line(n.Who())+" "+n.Says()) + ": " + clean.Line(n.Why)
		if !n.Since.IsZero() {
			text += theme.Dim.Render(", for " + words.Age(now.Sub(n.Since)))
		}
		if several && n.Voyage != "" {
			text += theme.Dim.Render(", " + clean.Line(n.Voyage))
		}
		if width > 0 {
			text = strings.Join(words.Wrap(text, max(20, width-4)), "\n    ")
		}
		fmt.Fprintln(w, text)
		fmt.Fprintln(w, "  "+theme.Dim.Render("→ ")+clean.Line(n.Command))
	}
}
