package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The groups of commands in the help.
const (
	groupSail  = "sail"
	groupWatch = "watch"
	groupSteer = "steer"
	groupSetup = "setup"
	groupRare  = "rare"
	groupMore  = "more"
)

const rootHelp = `ocaptain runs a fleet of coding agents.

Each agent works on a machine of its own, a ship. The ships share the tasks of a plan, claim them one by one, and
bring their work home as commits that are merged and verified. Without a command, ocaptain opens the
dashboard: it shows a voyage live and steers it.`

// goesOut is the annotation of a command that sends work out of this machine; its value says what goes out.
const goesOut = "goes out"

// newRoot builds the whole tree of commands.
func newRoot(b *bridge) *cobra.Command {
	root := &cobra.Command{
		Use:   "ocaptain [VOYAGE]",
		Short: "Run a fleet of coding agents",
		Long:  rootHelp,
		Example: `# you have a plan: ships share its tasks
ocaptain sail ./plans/add-auth -n 3

# you have a wish: a planner makes the tasks of it
ocaptain start --task "add user authentication"

# you have one thing to do: the next idle worker does it
ocaptain dispatch --repo . --command "fix the auth bug"

# you want to see it first: without any account
ocaptain demo`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && b.isVoyage(args[0]) {
				return nil
			}
			return unknown(cmd, args)
		},
		ValidArgsFunction: b.completeVoyages,
		RunE:              func(cmd *cobra.Command, args []string) error { return b.openDashboard(cmd, strings.Join(args, "")) },
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return newExitError(Usage, usageAdvice(cmd), "%w", err)
	})
	root.SetOut(b.out)
	root.SetErr(b.err)
	root.AddGroup(
		&cobra.Group{ID: groupSail, Title: "set sail"},
		&cobra.Group{ID: groupWatch, Title: "watch"},
		&cobra.Group{ID: groupSteer, Title: "steer"},
		&cobra.Group{ID: groupSetup, Title: "set up"},
		&cobra.Group{ID: groupRare, Title: "rarely typed"},
		&cobra.Group{ID: groupMore, Title: "more help"},
	)
	root.SetHelpCommandGroupID(groupMore)
	root.SetCompletionCommandGroupID(groupRare)
	add := func(group string, cmds ...*cobra.Command) {
		for _, c := range cmds {
			c.GroupID = group
			root.AddCommand(c)
		}
	}
	add(groupSail, planCmd(b), sailCmd(b), startCmd(b), joinCmd(b), initCmd(b), addCmd(b), dispatchCmd(b), poolCmd(b), demoCmd(b))
	add(groupWatch, statusCmd(b), voyagesCmd(b), needsCmd(b), waitCmd(b), tasksCmd(b), logsCmd(b), diffCmd(b), openCmd(b), attachCmd(b), shellCmd(b), takeCmd(b), cloneCmd(b), prCmd(b), pushCmd(b), costCmd(b), exportCmd(b), searchCmd(b), discoveriesCmd(b))
	add(groupSteer, answerCmd(b), sendCmd(b), interruptCmd(b), pauseCmd(b), resumeCmd(b), budgetCmd(b), verifyCmd(b), editCmd(b), splitCmd(b), holdCmd(b), revertCmd(b), requeueCmd(b), conflictsCmd(b), restoreCmd(b), repairCmd(b), cancelCmd(b), approveCmd(b), rejectCmd(b), taskCmd(b), shipsCmd(b), shipCmd(b), sinkCmd(b), sweepCmd(b))
	add(groupSetup, doctorCmd(b), agentCmd(b), beadsCmd(b), mcpCmd(b), telemetryStartCmd(b), telemetryStopCmd(b), telemetryCmd(b))
	add(groupRare, uninstallCmd(b), skillsCmd(b), schemaCmd(b), manCmd(b), helmCmd(b), ncCmd(b))
	add(groupMore, topics(b)...)
	root.AddCommand(aboardCmd())
	strict(root)
	root.Long = joinLines(root.Long)
	wrapHelp(b, root)
	return root
}

// strict makes every command that only holds other commands refuse words that are not its commands,
// and marks every error about arguments and flags as a usage error.
func strict(cmd *cobra.Command) {
	for _, c := range cmd.Commands() {
		if c.HasSubCommands() && c.RunE == nil && c.Run == nil {
			c.Args = func(cmd *cobra.Command, args []string) error { return unknown(cmd, args) }
			c.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		} else if check := c.Args; check != nil {
			c.Args = func(cmd *cobra.Command, args []string) error {
				err := check(cmd, args)
				if err == nil {
					err = checkFlags(cmd)
				}
				if err != nil {
					return newExitError(Usage, usageAdvice(cmd), "%w", err)
				}
				return nil
			}
		}
		strict(c)
	}
}

// checkFlags refuses flags that are missing or exclude each other, before cobra would, whose texts name groups of flags.
func checkFlags(cmd *cobra.Command) (err error) {
	if cmd.ValidateRequiredFlags() == nil && cmd.ValidateFlagGroups() == nil {
		return nil
	}
	given := map[string][]string{} // by group, as cobra notes it at each of its flags
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Annotations[cobra.BashCompOneRequiredFlag] != nil && !f.Changed {
			err = fmt.Errorf("--%s is missing", f.Name)
		}
		for _, group := range f.Annotations["cobra_annotation_mutually_exclusive"] {
			if f.Changed {
				given[group] = append(given[group], "--"+f.Name)
			}
		}
	})
	for _, group := range slices.Sorted(maps.Keys(given)) {
		if flags := given[group]; err == nil && len(flags) > 1 {
			err = fmt.Errorf("give only one of %s", strings.Join(flags, " and "))
		}
	}
	return err
}

// helpOfNothing refuses "help WORDS" for a command that does not exist; cobra would show the help of the command above.
func helpOfNothing(root *cobra.Command, args []string) error {
	if !slices.Contains(args, "--help") && !slices.Contains(args, "-h") || slices.Contains(args, "--") {
		return nil
	}
	cmd, rest, err := root.Find(args)
	if err != nil || !cmd.HasSubCommands() || cmd.Args == nil {
		return err
	}
	return cmd.Args(cmd, slices.DeleteFunc(slices.Clone(rest), func(word string) bool { return strings.HasPrefix(word, "-") }))
}

// unknown refuses words that are not commands and suggests the most similar command.
func unknown(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	advice := "see: " + cmd.CommandPath() + " --help"
	cmd.SuggestionsMinimumDistance = 2
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		advice = "did you mean: " + cmd.CommandPath() + " " + strings.Join(near, ", ") + "?"
	}
	return newExitError(Usage, advice, "there is no command %q", cmd.CommandPath()+" "+args[0])
}

// usageAdvice returns the advice for a command that is written wrong. An agent gets the usage itself, as it would not read help for it.
func usageAdvice(cmd *cobra.Command) string {
	if cmd.GroupID == groupAboard {
		return "write: " + cmd.Example
	}
	return "see: " + cmd.CommandPath() + " --help"
}

// wantArgs requires the named arguments. Names in brackets may be left out; the last name may end with "..." for several arguments.
func wantArgs(names ...string) cobra.PositionalArgs {
	least := 0
	for _, n := range names {
		if !strings.HasPrefix(n, "[") {
			least++
		}
	}
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return fmt.Errorf("%s is missing", strings.TrimSuffix(names[len(args)], "..."))
		case len(args) > len(names) && !strings.HasSuffix(strings.Join(names, ""), "..."):
			return fmt.Errorf("%q is one argument too many", args[len(names)])
		}
		return nil
	}
}
