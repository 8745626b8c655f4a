package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/spf13/cobra"

	"ocaptain/fleet/clean"
	"ocaptain/theme"
	"ocaptain/ui/skills"
	"ocaptain/ui/words"
)

func skillsCmd(b *bridge) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "skills",
		Short: "Teach Claude Code to make plans and to work with a fleet",
		Long: `Put skills where Claude Code on this machine finds them: voyage-plan teaches it to make plans, ocaptain-fleet to sail them,
to watch and to steer, orchestrator to dispatch commands to workers. A file that you have changed is left alone unless you
say --force.`,
		Example: `ocaptain skills install
ocaptain skills install voyage-plan --project .
ocaptain skills list`,
	}
	cmd.AddCommand(skillsListCmd(b), skillsShowCmd(b),
		skillsPutCmd(b, &cobra.Command{Use: "install [NAME]", Short: "Install the skills, for you or into a project"}, skills.Place.Install, installed),
		skillsPutCmd(b, &cobra.Command{Use: "uninstall [NAME]", Short: "Remove the skills again"}, skills.Place.Remove, uninstalled))
	return cmd
}

// skillPlace returns where skills go: into a project, or into the captain's home.
func (b *bridge) skillPlace(project string) (skills.Place, error) {
	if project == "" {
		config := ""
		for _, kv := range b.environ {
			if dir, ok := strings.CutPrefix(kv, "CLAUDE_CONFIG_DIR="); ok {
				config = dir
			}
		}
		return skills.UserPlace(b.hub.Home, config), nil
	}
	if !filepath.IsAbs(project) {
		project = filepath.Join(b.cwd, project)
	}
	info, err := os.Stat(project)
	switch {
	case err != nil:
		return "", newExitError(NotFound, "", "project: %w", err)
	case !info.IsDir():
		return "", newExitError(Usage, "", "project %s is not a directory", project)
	}
	return skills.Project(project), nil
}

// chosenSkills returns the skill that the arguments name, or without arguments all skills.
func chosenSkills(args []string) ([]skills.Skill, error) {
	if len(args) == 0 {
		return skills.All(), nil
	}
	s, err := skills.Find(args[0])
	if err != nil {
		return nil, newExitError(NotFound, "", "%w", err)
	}
	return []skills.Skill{s}, nil
}

func completeSkills(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, s := range skills.All() {
		if len(args) == 0 {
			names = append(names, s.Name)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// skillsPutCmd makes a command that installs or removes skills in a place.
func skillsPutCmd(b *bridge, cmd *cobra.Command, put func(skills.Place, skills.Skill, bool) (skills.State, error), say func(io.Writer, string, skills.State)) *cobra.Command {
	var project string
	var force bool
	cmd.Args, cmd.ValidArgsFunction = wantArgs("[NAME]"), completeSkills
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		chosen, err := chosenSkills(args)
		if err != nil {
			return err
		}
		place, err := b.skillPlace(project)
		if err != nil {
			return err
		}
		var changed error
		for _, s := range chosen {
			was, err := put(place, s, force)
			switch {
			case errors.Is(err, skills.ErrChanged):
				changed = errors.Join(changed, err)
			case err != nil:
				return err
			default:
				say(b.out, place.Path(s), was)
			}
		}
		if changed != nil {
			return newExitError(Refused, "use --force to lose the changes", "%w", changed)
		}
		return nil
	}
	cmd.Flags().StringVar(&project, "project", "", "directory of a project (default: for you, in all projects)")
	cmd.Flags().BoolVarP(&force, "force", "f", false, "also where somebody changed the file")
	return cmd
}

// installed prints what was done to a file, given its state before.
func installed(w io.Writer, path string, was skills.State) {
	what := map[skills.State]string{skills.Absent: "installed", skills.Current: "was installed already", skills.Other: "brought up to date", skills.Changed: "written anew"}[was]
	fmt.Fprintf(w, "%s %s  %s\n", theme.Yes.Style.Render(theme.Yes.Glyph), clean.Line(path), theme.Dim.Render(what))
}

func uninstalled(w io.Writer, path string, was skills.State) {
	what := "removed"
	if was == skills.Absent {
		what = "was not installed"
	}
	fmt.Fprintf(w, "%s %s  %s\n", theme.Yes.Style.Render(theme.Yes.Glyph), clean.Line(path), theme.Dim.Render(what))
}

// skillRow is the JSON of one line of "skills list".
type skillRow struct {
	Name  string       `json:"name"`
	About string       `json:"about"`
	State skills.State `json:"state"`
	Path  string       `json:"path"`
}

func skillsListCmd(b *bridge) *cobra.Command {
	var project string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the skills and whether they are installed",
		Args:  wantArgs(),
		RunE: func(*cobra.Command, []string) error {
			place, err := b.skillPlace(project)
			if err != nil {
				return err
			}
			var rows []skillRow
			for _, s := range skills.All() {
				state, err := place.StateOf(s)
				if err != nil {
					return err
				}
				rows = append(rows, skillRow{s.Name, s.About, state, place.Path(s)})
			}
			if asJSON {
				return printJSON(b.raw, rows)
			}
			for _, r := range rows {
				fmt.Fprintf(b.out, "%-15s %s\n", r.Name, r.State)
				fmt.Fprintln(b.out, words.FitWidth("  "+r.About, b.width))
				fmt.Fprintln(b.out, words.FitWidth(theme.Dim.Render(clean.Line("  "+r.Path)), b.width))
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&project, "project", "", "directory of a project (default: for you, in all projects)")
	jsonFlag(cmd, &asJSON, reflect.TypeFor[[]skillRow]())
	return cmd
}

func skillsShowCmd(b *bridge) *cobra.Command {
	return &cobra.Command{
		Use:               "show NAME",
		Short:             "Print a skill",
		Args:              wantArgs("NAME"),
		ValidArgsFunction: completeSkills,
		RunE: func(_ *cobra.Command, args []string) error {
			chosen, err := chosenSkills(args)
			if err != nil {
				return err
			}
			_, err = io.WriteString(b.out, chosen[0].Text)
			return err
		},
	}
}
