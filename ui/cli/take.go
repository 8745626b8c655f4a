package cli

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/spf13/cobra"

	"ocaptain/fleet"
	"ocaptain/tasks"
	"ocaptain/ui/changes"
	"ocaptain/ui/take"
)

func takeCmd(b *bridge) *cobra.Command {
	var voyage, as, dir string
	var merge, asJSON bool
	cmd := &cobra.Command{
		Use:         "take [TASK|DISPATCH|VOYAGE]",
		Annotations: map[string]string{goesOut: "the branch of the voyage, or of that task or dispatch, into your checkout"},
		Short:       "Bring finished work into your own checkout, as a branch or a merge",
		Long: `Bring finished work into the checkout that you are in: as a branch, or with --merge into the branch that is checked out. The work of a
task comes with what was merged before it. What it did is said with the command that undoes it. Nothing changes where a branch
of that name has other work, where a merge conflicts, or where the checkout has changes that are not committed.`,
		Example: `ocaptain take
ocaptain take 7 --voyage kite --merge
ocaptain take add-auth --as try-it`,
		Args:              wantArgs("[TASK|DISPATCH|VOYAGE]"),
		ValidArgsFunction: b.completeTasks(&voyage, func(t *tasks.State) bool { return t.Status == tasks.Completed && t.Commit != "" }),
		RunE: func(cmd *cobra.Command, args []string) error {
			what := strings.Join(args, "")
			if voyage == "" && what != "" && b.isVoyage(what) {
				voyage, what = what, ""
			}
			d, err := b.voyage(voyage)
			if err != nil {
				return err
			}
			v, err := b.readLive(cmd.Context(), d)
			if err != nil {
				return err
			}
			v.printWarnings(b.err)
			if what != "" {
				what = v.TaskID(what)
			}
			w, err := take.Find(cmd.Context(), d, &v.Board, what)
			if err != nil {
				return takeError(err)
			}
			if dir == "" {
				dir = b.cwd
			}
			t, err := take.Into(cmd.Context(), dir, w, as, merge)
			if err != nil {
				return takeError(err)
			}
			if asJSON {
				return printJSON(b.raw, t)
			}
			for _, line := range t.Lines(w) {
				fmt.Fprintln(b.out, line)
			}
			return nil
		},
	}
	voyageFlag(b, cmd, &voyage)
	f := cmd.Flags()
	f.BoolVar(&merge, "merge", false, "merge it into the branch that is checked out")
	f.StringVar(&as, "as", "", "name of the branch")
	f.StringVarP(&dir, "dir", "d", "", "the checkout to bring it into (default: of the working directory)")
	jsonFlag(cmd, &asJSON, reflect.TypeFor[take.Taken]())
	cmd.MarkFlagsMutuallyExclusive("merge", "as")
	return cmd
}

// takeError gives an error of taking work its exit code.
func takeError(err error) error {
	var no *take.Refused
	var none *changes.NotFound
	switch {
	case errors.As(err, &no):
		return newExitError(Refused, no.Advice, "%s", no.Why)
	case errors.As(err, &none):
		return newExitError(NotFound, none.Advice, "%s", none.Text)
	}
	return diffError(err)
}

// takeHome returns the command that brings the work of a voyage into the captain's checkout; "" for a voyage that began in a fresh
// repository.
func takeHome(v *fleet.Voyage) string {
	if v.Base == "" || v.Repo == "" || v.Repo == "none" {
		return "ocaptain clone " + v.ID
	}
	return "ocaptain take " + v.ID
}
