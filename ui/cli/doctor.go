package cli

import (
	"context"
	"fmt"
	"io"
	"reflect"
	"strings"
	"sync"

	"ocaptain/ui/words"

	"github.com/spf13/cobra"

	"ocaptain/fleet/clean"
	"ocaptain/fleet/provider/registry"
	"ocaptain/theme"
	"ocaptain/ui/cli/config"
	"ocaptain/ui/launch/places"
)

// finding is one line of the doctor's report.
type finding struct {
	What  string `json:"what"`
	Found string `json:"found"`
	Need  string `json:"neededFor"`
	Fix   string `json:"fix,omitempty"`
	State string `json:"state"` // ok, warning, missing

	// Required says that the chosen provider and agent cannot work without it.
	Required bool `json:"required"`
}

// The states of a finding.
const (
	healthy = "ok"
	doubt   = "warning"
	missing = "missing"
)

func doctorCmd(b *bridge) *cobra.Command {
	var asJSON, fix bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check that everything is there, and say how to get what is not",
		Long: `Check what ocaptain needs on this machine. The exit code is not 0 only when something is missing that the chosen
provider and agent cannot do without. Secrets are looked at and never shown.

With --fix it puts right what it safely can, and says what it did: it makes ocaptain's directories, closes files with secrets
to other users, removes what killed commands left, and replaces a helm of an older build. It installs nothing: the command
for that is shown, for you to run.

With --agent NAME@VERSION it tries a version of an agent: tested, latest, installed or a number. The version is fetched and
has to work on this machine for a script in the place of its model, with no account, no network and nothing of yours: about
half a minute. What came of it is kept, and decides whether ships may have that version.`,
		Example: `ocaptain doctor
ocaptain doctor --agent script
ocaptain doctor --agent claude@latest
ocaptain doctor --redis redis://localhost:6379
ocaptain doctor --fix`,
		Args: wantArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkRedisFlag(cmd.Flag("redis").Value.String()); err != nil {
				return err
			}
			name, version, tries := strings.Cut(cmd.Flag("agent").Value.String(), "@")
			if tries {
				if wrong := config.WrongVersion(version); wrong != "" {
					return usageError("--agent %s@VERSION: the version %s", name, wrong)
				}
				if err := cmd.Flags().Set("agent", name); err != nil {
					return err
				}
			}
			findings := b.examine(cmd.Context(), cmd, exam{fix: fix, version: version, redis: cmd.Flag("redis").Value.String()})
			if asJSON {
				if err := printJSON(b.raw, findings); err != nil {
					return err
				}
			} else {
				writeFindings(b.out, findings, b.width)
			}
			for _, f := range findings {
				if f.Required && f.State == missing {
					return silent(Missing)
				}
			}
			return nil
		},
	}
	cmd.Flags().String("provider", "", "check for this provider")
	cmd.Flags().String("agent", "", "check for this agent; NAME@VERSION tries a version of it")
	cmd.Flags().String("redis", "", "check this Redis, where hubs could share tasks; its password is in REDIS_PASSWORD")
	cmd.Flags().BoolVar(&fix, "fix", false, "put right what can be done safely")
	jsonFlag(cmd, &asJSON, reflect.TypeFor[[]finding]())
	return cmd
}

// exam is what the captain asks of the doctor beside the usual checks.
type exam struct {
	fix     bool   // put right what can be done safely
	version string // of the agent, to try; "" for none
	redis   string // address of a Redis to check, "" for none
}

// examine makes all checks, each with a deadline of its own. cmd has the settings; it need not be the doctor's command.
func (b *bridge) examine(ctx context.Context, cmd *cobra.Command, e exam) []finding {
	c, err := b.config(cmd)
	found := []finding{configFinding(b, err)}
	if err != nil {
		c.Provider, c.Agent = orWord(c.Provider, registry.Here().Name), orWord(c.Agent, "claude")
	}
	found = append(found, ignoredFindings(c)...)
	found = append(found, chosen(c)...)
	found = append(found, b.repaired(ctx, e.fix)...)
	found = append(found, placesFinding(b))
	found = append(found, programs(ctx, c)...)
	found = append(found, b.agentFindings(ctx, c, e.version)...)
	confinement := sync.OnceValue(func() error { return places.Confinement(ctx, b.hub) })
	network := sync.OnceValue(func() error { return places.Network(ctx, b.hub) })
	found = append(found, wallFinding(b.hub, c, confinement), networkFinding(c, network), checksFinding(c, confinement, network), boundsFinding(ctx, b.hub, c))
	found = append(found, placeFindings(ctx, b.hub, c)...)
	found = append(found, loginFindings(c)...)
	found = append(found, repositoryFinding(ctx, b, c))
	found = append(found, filterFindings(ctx, b)...)
	found = append(found, bringFindings(ctx, b)...)
	found = append(found, syncFindings(ctx, c)...)
	found = append(found, providerFindings(ctx, b.hub, c)...)
	found = append(found, tailnetFindings(ctx, b.hub, c)...)
	found = append(found, redisFindings(ctx, e.redis, c)...)
	found = append(found, embeddingFindings(ctx, b.hub, c)...)
	found = append(found, programFindings(b.hub, c)...)
	found = append(found, helmFinding(ctx, b), notifyFinding(b.hub, c))
	found = append(append(found, installFinding(b)), machineFindings(ctx, b)...)
	return found
}

// verdict says in one line what the doctor finds missing.
func (b *bridge) verdict(ctx context.Context, cmd *cobra.Command) string {
	var lacks []string
	for _, f := range b.examine(ctx, cmd, exam{}) {
		if f.State == missing && f.Required {
			lacks = append(lacks, f.What+" for "+f.Need)
		}
	}
	if len(lacks) == 0 {
		return theme.Yes.Glyph + " nothing is missing here"
	}
	return theme.No.Glyph + " missing here: " + strings.Join(lacks, ", ")
}

// writeFindings prints each finding in one line, and its fix in another.
func writeFindings(w io.Writer, found []finding, width int) {
	widest := 0
	for _, f := range found {
		widest = max(widest, len(f.What))
	}
	bad := 0
	for _, f := range found {
		mark := theme.Yes
		switch {
		case f.State == missing && f.Required:
			mark = theme.No
			bad++
		case f.State != healthy:
			mark = theme.Warn
		}
		line := fmt.Sprintf("%s %-*s  %s", mark.Style.Render(mark.Glyph), widest, clean.Line(f.What), clean.Line(f.Found))
		fmt.Fprintln(w, words.FitWidth(line, width))
		indent := strings.Repeat(" ", widest+4)
		fmt.Fprintln(w, words.FitWidth(theme.Dim.Render(clean.Line(indent+"for "+f.Need)), width))
		if f.State != healthy && f.Fix != "" {
			fmt.Fprintln(w, words.FitWidth(indent+theme.Key.Render("fix")+" "+clean.Line(f.Fix), width))
		}
	}
	fmt.Fprintln(w)
	if bad > 0 {
		fmt.Fprintln(w, theme.Bad.Render(words.Counted(bad, "thing")+" missing"))
		return
	}
	fmt.Fprintln(w, theme.Good.Render("Ready to sail."))
}
