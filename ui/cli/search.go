package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ocaptain/fleet/aboard/scout"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/supervise"
	"ocaptain/fleet/search"
	"ocaptain/fleet/search/meaning"
	"ocaptain/fleet/search/tools"
	"ocaptain/theme"
	"ocaptain/ui/launch/logins"
)

func searchCmd(b *bridge) *cobra.Command {
	var asJSON, byPattern bool
	q := search.Query{Limit: 10}
	cmd := &cobra.Command{
		Use:   "search WORDS...",
		Short: "Find code by what it does",
		Long: `Find functions, types and sections of documents in the repository of the working directory by what they do, the best
first, or with --regex all in which a regular expression matches. Files that git ignores are not read.

What agents are given, and how results are ranked: ocaptain help code-search`,
		Example: `ocaptain search read the config file and apply defaults
ocaptain search --path internal/auth token is expired
ocaptain search --regex 'func \(s \*Server\)' --limit 50`,
		Args: wantArgs("WORDS..."),
		RunE: func(cmd *cobra.Command, args []string) error {
			if q.Limit < 1 {
				return usageError("--limit is %d; give at least 1", q.Limit)
			}
			if q.Text = strings.Join(args, " "); strings.TrimSpace(q.Text) == "" {
				return usageError("WORDS is empty; say what the code does")
			}
			agent := scout.Find()
			defer agent.Close()
			t, end, err := b.openTree(cmd, agent)
			if err != nil {
				return err
			}
			defer end()
			ask := t.Semantic
			if byPattern {
				ask = t.Regexp
			}
			if !byPattern {
				understand(cmd.Context(), t)
			}
			found, err := ask(cmd.Context(), q)
			var pattern *search.PatternError
			var path *search.PathError
			if errors.As(err, &pattern) || errors.As(err, &path) {
				return usageError("%w", err)
			}
			if err != nil {
				return err
			}
			b.warnUnmeant(t.Stats())
			agent.Tell(tools.NewAsked("search", q.Text, found))
			if asJSON {
				return printJSON(b.raw, foundOf(found))
			}
			b.sayFound(found, byPattern)
			return nil
		},
	}
	cmd.Flags().BoolVar(&byPattern, "regex", false, "WORDS is a regular expression (RE2)")
	cmd.Flags().StringVar(&q.Path, "path", "", "search in this file or directory alone, from the top of the repository")
	cmd.Flags().IntVar(&q.Limit, "limit", q.Limit, "print at most so many results")
	jsonFlag(cmd, &asJSON, reflect.TypeFor[foundResults]())
	return cmd
}

// treeHere opens the repository of the working directory.
func treeHere(ctx context.Context) (*search.Tree, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	t, err := search.Open(ctx, dir)
	if err != nil {
		return nil, newExitError(Missing, "go to a directory of a git repository", "%w", err)
	}
	return t, nil
}

// openTree opens the repository of the working directory, with vectors of its code when the captain has configured embeddings:
// on a ship helm makes them.
func (b *bridge) openTree(cmd *cobra.Command, aboard *scout.Scout) (t *search.Tree, end func(), err error) {
	if t, err = treeHere(cmd.Context()); err != nil {
		return nil, nil, err
	}
	if aboard != nil {
		t.UseMeaning(aboard.Means())
		return t, func() { t.Close() }, nil
	}
	c, _ := b.config(&cobra.Command{}) // wrong settings do not prevent a search
	m, done, wrong := logins.MeaningMaker(b.hub, c)
	if wrong != nil {
		t.Close()
		return nil, nil, wrong
	}
	if m != nil {
		t.UseMeaning(func(ctx context.Context, texts []string, questions bool) ([]meaning.Vector, error) {
			all, _, err := m.Vectors(ctx, texts, questions)
			return all, err
		})
	}
	return t, func() { done(); t.Close() }, nil
}

// understanding is how long a search waits for missing vectors. Vectors that were made are kept for the next search.
const understanding = 20 * time.Second

// understand makes the code of a tree searchable by meaning, as far as that is possible soon.
func understand(ctx context.Context, t *search.Tree) {
	if t.Refresh(ctx) != nil {
		return // the search reports why
	}
	ctx, cancel := context.WithTimeout(ctx, understanding)
	defer cancel()
	_ = t.Understand(ctx) // Stats say how it went
}

// warnUnmeant says that the search used words alone, and why.
func (b *bridge) warnUnmeant(is search.Stats) {
	switch {
	case errors.Is(is.Unmeant, context.DeadlineExceeded):
		writeWarning(b.err, fmt.Sprintf("%d of %d pieces of code are found by words alone: more had no vector after %s. Those that have are kept; search again for more",
			is.Chunks-is.Vectors, is.Chunks, understanding), 0)
	case is.Unmeant != nil && is.Vectors < is.Chunks:
		writeWarning(b.err, fmt.Sprintf("%d of %d pieces of code are found by words alone: %v", is.Chunks-is.Vectors, is.Chunks, is.Unmeant), 0)
	case is.Unmeant != nil:
		writeWarning(b.err, fmt.Sprintf("Code is found by words alone: %v", is.Unmeant), 0)
	}
}

// foundResult is a result in JSON.
type foundResult struct {
	File  string      `json:"file"`
	Start int         `json:"start"`
	End   int         `json:"end"`
	Kind  search.Kind `json:"kind"`
	Name  string      `json:"name,omitempty"`
	Score float64     `json:"score,omitempty"`
	Text  string      `json:"text"`
}

type foundResults struct {
	Total   int           `json:"total"`
	Results []foundResult `json:"results"`
}

func foundOf(f search.Results) foundResults {
	all := foundResults{Total: f.Total, Results: []foundResult{}}
	for _, r := range f.Results {
		all.Results = append(all.Results, foundResult{r.File, r.Start, r.End, r.Kind, r.Name, r.Score, r.Text})
	}
	return all
}

// sayFound prints results, one per line.
func (b *bridge) sayFound(f search.Results, byPattern bool) {
	if len(f.Results) == 0 {
		fmt.Fprintln(b.out, "nothing found")
		return
	}
	for _, r := range f.Results {
		line := fmt.Sprintf("%s:%d-%d", clean.Line(r.File), r.Start, r.End)
		if r.Kind == search.Discovery {
			line += theme.Dim.Render("  discovery")
		}
		if r.Name != "" {
			line += "  " + theme.Title.Render(clean.Line(r.Name))
		}
		if !byPattern {
			line += theme.Dim.Render(fmt.Sprintf("  %.0f%%", 100*r.Score))
		}
		fmt.Fprintln(b.out, line)
	}
	if more := f.Total - len(f.Results); more > 0 {
		fmt.Fprintln(b.out, theme.Dim.Render(fmt.Sprintf("… and %d more that fit less", more)))
	}
}

func mcpCmd(b *bridge) *cobra.Command {
	return &cobra.Command{
		Use:   "mcp",
		Short: "Serve the search in code to an agent, over MCP",
		Long: `Serve the search in the repository of the working directory to an agent: as tools of the Model Context Protocol, on
standard input and output, until the input ends. Agents of a session are given it; any other agent can be told to start it.

The tools, and how results are ranked: ocaptain help code-search`,
		Example: `claude mcp add ChunkHound -- ocaptain mcp`,
		Args:    wantArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			agent := scout.Find()
			defer agent.Close()
			t, end, err := b.openTree(cmd, agent)
			if err != nil {
				return err
			}
			defer end()
			return agent.Serve(cmd.Context(), t, supervise.Version)
		},
	}
}
