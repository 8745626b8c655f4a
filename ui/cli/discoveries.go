package cli

import (
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/search/discoveries"
	"ocaptain/theme"
	"ocaptain/ui/words"
)

func discoveriesCmd(b *bridge) *cobra.Command {
	var voyage string
	var stale, asJSON bool
	cmd := &cobra.Command{
		Use:   "discoveries",
		Short: "List what reviewers found out about a repository",
		Long: `List what is kept in docs/discoveries of the repository of the working directory, as of its last commit, or with -v of a
voyage's branch: the newest first, and what says nearly the same once. One is stale when all files that it is about are gone,
or half of their lines have changed since it was found.

How agents come by them: ocaptain help code-search`,
		Example: `ocaptain discoveries
ocaptain discoveries -v voyage-3f9a --stale
ocaptain discoveries --json`,
		Args: wantArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, revision, err := b.discovered(cmd, voyage)
			if err != nil {
				return err
			}
			found, err := discoveries.Find(cmd.Context(), dir, revision)
			if err != nil {
				return err
			}
			if stale {
				found.Discoveries = slices.DeleteFunc(found.Discoveries, func(d discoveries.Discovery) bool { return !d.Stale })
			}
			if asJSON {
				return printJSON(b.raw, discoveriesOf(found))
			}
			b.sayDiscoveries(found)
			return nil
		},
	}
	voyageFlag(b, cmd, &voyage)
	cmd.Flags().BoolVar(&stale, "stale", false, "list those alone that are stale")
	jsonFlag(cmd, &asJSON, reflect.TypeFor[foundDiscoveries]())
	return cmd
}

// discovered returns where to look for discoveries: the working directory, or the branch of a voyage.
func (b *bridge) discovered(cmd *cobra.Command, voyage string) (dir, revision string, err error) {
	if voyage == "" {
		t, err := treeHere(cmd.Context())
		if err != nil {
			return "", "", err
		}
		return t.Dir(), "HEAD", t.Close()
	}
	d, err := b.voyage(voyage)
	if err != nil {
		return "", "", err
	}
	v, err := fleet.LoadVoyage(d)
	return d.Workspace(), "refs/heads/" + v.Branch, err
}

// discovery is a discovery in JSON.
type discovery struct {
	File   string    `json:"file"`
	Type   string    `json:"type"`
	Stale  bool      `json:"stale"`
	Text   string    `json:"text"`
	Files  []string  `json:"files,omitempty"`
	Task   string    `json:"task,omitempty"`
	Author string    `json:"author,omitempty"`
	Commit string    `json:"commit"`
	At     time.Time `json:"at"`
	Same   []string  `json:"same,omitempty"`
}

type skippedFile struct {
	File string `json:"file"`
	Why  string `json:"why"`
}

type foundDiscoveries struct {
	Commit      string        `json:"commit"`
	Discoveries []discovery   `json:"discoveries"`
	Skipped     []skippedFile `json:"skipped,omitempty"`
}

func discoveriesOf(f discoveries.Found) foundDiscoveries {
	all := foundDiscoveries{Commit: f.Commit, Discoveries: []discovery{}}
	for _, d := range f.Discoveries {
		all.Discoveries = append(all.Discoveries, discovery{d.File, d.Type, d.Stale, d.Text, d.Files, d.Task, d.Author, d.Commit, d.At, d.Same})
	}
	for _, s := range f.Skipped {
		all.Skipped = append(all.Skipped, skippedFile{s.File, s.Why})
	}
	return all
}

// maxSkipped is how many skipped files are named.
const maxSkipped = 5

// sayDiscoveries prints discoveries, one per line.
func (b *bridge) sayDiscoveries(f discoveries.Found) {
	for _, s := range f.Skipped[:min(len(f.Skipped), maxSkipped)] {
		writeWarning(b.err, fmt.Sprintf("%s is skipped: %s", clean.Line(s.File), s.Why), b.width)
	}
	if more := len(f.Skipped) - maxSkipped; more > 0 {
		writeWarning(b.err, fmt.Sprintf("%d more files are skipped; see all with --json", more), b.width)
	}
	if len(f.Discoveries) == 0 {
		fmt.Fprintln(b.out, "nothing found")
		return
	}
	t := table{heads: []string{"TYPE", "AGE", "STATE", "DISCOVERY", "FILES"}, flex: 3}
	for i := range f.Discoveries {
		d := &f.Discoveries[i]
		state := theme.Discovery(d.Stale)
		t.add(cell{d.Type, theme.Plain}, cell{words.Age(b.now().Sub(d.At)), theme.Dim}, cell{state.Glyph + " " + state.Word, state.Style},
			cell{d.Title(), theme.Plain}, cell{orWord(words.FirstOf(d.Files), "-"), theme.Dim})
	}
	t.write(b.out, b.width)
}
