package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"ocaptain/fleet/helm/supervise"
	"ocaptain/ui/words"
)

func manCmd(b *bridge) *cobra.Command {
	return &cobra.Command{
		Use:   "man [DIR]",
		Short: "Print the man page, or write all man pages into a directory",
		Long: `Print the man page ocaptain(1). With DIR, write a page for every command into DIR/man1, like ocaptain-sail(1), and one for every
topic of the help into DIR/man7, like ocaptain-keys(7).`,
		Example: `ocaptain man | man -l -
ocaptain man ~/.local/share/man && man ocaptain-sail`,
		Args: wantArgs("[DIR]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			more, err := manSections()
			if err != nil {
				return err
			}
			root.Long += more
			root.DisableAutoGenTag = true
			if len(args) == 0 {
				return doc.GenMan(root, manHeader("1"), b.raw)
			}
			n, err := writeMan(root, args[0])
			if err == nil {
				fmt.Fprintf(b.out, "%s written into %s\n", words.Counted(n, "page"), args[0])
			}
			return err
		},
	}
}

func manHeader(section string) *doc.GenManHeader {
	return &doc.GenManHeader{Section: section, Source: "ocaptain " + supervise.Version, Manual: "ocaptain"}
}

// manSections returns the sections of ocaptain(1) that belong to no single command.
func manSections() (string, error) {
	configuration, err := pages.ReadFile("help/configuration.md")
	if err != nil {
		return "", err
	}
	_, variables, found := strings.Cut(string(configuration), "## Variables alone\n")
	if !found {
		return "", errors.New("the page configuration has no section of variables")
	}
	variables, _, _ = strings.Cut(variables, "\n## ")
	return fmt.Sprintf(`

# EXIT STATUS
%s

# FILES
- **~/.config/ocaptain/config.yaml**: your settings; **.env** beside it holds variables: ocaptain-configuration(7)
- **captain.yaml** in a repository: what it says about its sessions: ocaptain-captain-yaml(7)
- **~/voyages/ID**: a voyage: its tasks, logs, workspace and journal: ocaptain-how-it-works(7)
- **~/voyages/archives**: archives of sunk voyages
- **~/.local/share/ocaptain**: keys, the machines that were made, and helm's state
- **~/.cache/ocaptain**: what can be made again

# ENVIRONMENT
Most settings have a variable of their own: ocaptain-configuration(7). These are variables alone:
%s

# KEYS
The dashboard lists the keys of the present place with **?**. All keys: ocaptain-keys(7)
`, exitHelp, variables), nil
}

// writeMan writes a page for every command and every topic, and returns their number.
func writeMan(root *cobra.Command, dir string) (n int, err error) {
	commands, topics := filepath.Join(dir, "man1"), filepath.Join(dir, "man7")
	if err := errors.Join(os.MkdirAll(commands, 0o755), os.MkdirAll(topics, 0o755)); err != nil {
		return 0, err
	}
	if err := doc.GenManTree(root, manHeader("1"), commands); err != nil {
		return 0, err
	}
	for _, c := range root.Commands() {
		if c.GroupID == groupMore && c.Name() != "help" {
			if err := writeTopic(c, topics); err != nil {
				return 0, err
			}
		}
	}
	written, err := filepath.Glob(filepath.Join(dir, "man[17]", "ocaptain*"))
	return len(written), err
}

// writeTopic writes the page of a topic.
func writeTopic(c *cobra.Command, dir string) (err error) {
	page := &cobra.Command{Use: "ocaptain-" + c.Name(), Short: c.Short, Long: c.Long, DisableFlagsInUseLine: true, DisableAutoGenTag: true}
	if page.Long == "" {
		raw, err := pages.ReadFile("help/" + c.Name() + ".md")
		if err != nil {
			return err
		}
		_, page.Long, _ = strings.Cut(string(raw), "\n") // without the title
	}
	f, err := os.Create(filepath.Join(dir, page.Use+".7"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return doc.GenMan(page, manHeader("7"), f)
}
