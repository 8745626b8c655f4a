package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"reflect"

	"ocaptain/tasks/planfile"

	"ocaptain/ui/words"

	"github.com/spf13/cobra"

	"ocaptain/fleet/clean"
	"ocaptain/tasks"
	"ocaptain/tasks/beads"
)

// planCmd holds the commands for plans that do not sail yet.
func planCmd(b *bridge) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "plan",
		Short: "Make, check, draw or begin a plan",
		Long: `A plan is a directory with voyage.json, spec.md, verify.sh and tasks/*.json.
Two plans come with ocaptain: example:tiny and example:harbor. beads:DIR is a plan of the open issues of a Beads project, see
ocaptain help beads.`,
		Example: `# have an agent make one
ocaptain plan make "add login with passkeys" --repo owner/repo

# begin a plan, see what is wrong with it, look at its shape
ocaptain plan new plans/add-auth
ocaptain plan check plans/add-auth
ocaptain plan graph plans/add-auth
ocaptain plan check beads:.

# draw one
ocaptain plan graph example:harbor --dot | dot -Tsvg > harbor.svg`,
	}
	cmd.AddCommand(planCheckCmd(), planGraphCmd(), planNewCmd(b), planFromCmd(b), planMakeCmd(b))
	return cmd
}

func planCheckCmd() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:               "check PLAN",
		Short:             "Tell everything that is wrong with a plan",
		Args:              wantArgs("PLAN"),
		ValidArgsFunction: completePlan,
		RunE: func(cmd *cobra.Command, args []string) error {
			plan, defects := beads.OpenPlan(args[0])
			var err error
			if asJSON {
				err = printJSON(cmd.OutOrStdout(), checked(plan, defects))
			} else {
				printDefects(cmd.OutOrStdout(), plan, defects)
			}
			if n := defects.Errors(); err == nil && n > 0 {
				err = newExitError(Usage, "", "plan %s has %s", args[0], words.Counted(n, "error"))
			}
			return err
		},
	}
	jsonFlag(cmd, &asJSON, reflect.TypeFor[planCheck]())
	return cmd
}

func planNewCmd(b *bridge) *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use:   "new DIR",
		Short: "Begin a plan with a small valid one",
		Long: `Begin a plan with a small valid one. Its repository is the one around the present directory, or none, a fresh one, where
there is none around it.`,
		Args: wantArgs("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := args[0]
			if !filepath.IsAbs(dir) {
				dir = filepath.Join(b.cwd, dir)
			}
			repo, err := b.repoToPlan("")
			if err != nil {
				return err
			}
			on := "a fresh repository"
			if repo.Kind == tasks.RepoPath {
				on = resolved(repo.Name)
				repo = repoFor(resolved(dir), on)
			}
			if err := planfile.New(dir, name, repo); err != nil {
				return newExitError(Usage, "", "%w", err)
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s is ready to be changed: spec.md says what for, tasks/ what to do, verify.sh when it is done\nIt is for %s, as voyage.json says\n", clean.Line(args[0]), clean.Line(on))
			return err
		},
	}
	cmd.Flags().StringVar(&name, "name", "", "what to call the plan (default: the name of the directory)")
	return cmd
}

// printDefects writes every defect with its fix, and then the verdict on the plan.
func printDefects(w io.Writer, plan *planfile.Plan, defects planfile.Defects) {
	for _, d := range defects {
		fmt.Fprintf(w, "%s\n    fix: %s\n", clean.Line(d.String()), clean.Line(d.Fix))
	}
	if len(defects) > 0 {
		fmt.Fprintln(w)
	}
	g := plan.Graph
	errors := defects.Errors()
	switch warnings := len(defects) - errors; {
	case len(defects) == 0:
		fmt.Fprintf(w, "%s is in order: %s on %s, %s recommended\n",
			clean.Line(plan.Name), words.Counted(len(g.Tasks()), "task"), words.Counted(len(g.Levels()), "level"), words.Counted(plan.Ships, "ship"))
	case errors == 0:
		fmt.Fprintf(w, "%s can sail, with %s\n", clean.Line(plan.Name), words.Counted(warnings, "warning"))
	default:
		fmt.Fprintf(w, "%s and %s\n", words.Counted(errors, "error"), words.Counted(warnings, "warning"))
	}
}

// completePlan offers the examples, and directories.
func completePlan(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for _, name := range planfile.Examples() {
		names = append(names, "example:"+name)
	}
	return names, cobra.ShellCompDirectiveDefault
}
